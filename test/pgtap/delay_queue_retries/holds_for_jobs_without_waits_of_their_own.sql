begin;
\ir ../_lib.sql
select plan(5);

select pgagent.delay_queue_retries('slow', '1 hour', '90 min');
-- Whether the first wait of a job of a queue lies between two lengths.
create function pg_temp.waits(
  queue text, base interval, shortest interval, longest interval
) returns boolean
language plpgsql volatile
as $$
declare
  v_thread text := gen_random_uuid()::text;
begin
  perform pgagent.start_run(v_thread, 'w1', queue => waits.queue, retry_base => base);
  perform pgagent.fail_job(pg_temp.job(v_thread), 1, '1');
  return (
    select available_at - pgagent._now() between shortest and longest
    from pgagent.agent_jobs where job_id = pg_temp.job(v_thread)
  );
end
$$;

select ok(pg_temp.waits('slow', null, '44 min', '60 min'), 'its queue''s');
select ok(pg_temp.waits('slow', '8 s', '5 s', '8 s'), 'its own');
select ok(pg_temp.waits('default', null, '0 s', '1 s'), 'the settings hold for other queues');
select pgagent.delay_queue_retries('slow', retry_cap => '10 min');
select ok(pg_temp.waits('slow', null, '0 s', '1 s'), 'and what is left out');
select ok(pg_temp.waits('slow', '1 hour', '7 min', '10 min'), 'up to the cap of the queue');

select * from finish();
rollback;
