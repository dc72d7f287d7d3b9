begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t', '1', max_attempts => 9, retry_base => '1 hour', retry_cap => '90 min');
select pgagent.enqueue_job('u', '1', max_attempts => 9);
-- Whether the next wait of a thread's job lies between two lengths.
create function pg_temp.waits(thread text, shortest interval, longest interval) returns boolean
language plpgsql volatile
as $$
declare
  v_wait interval;
begin
  perform pgagent.claim_job('w1');
  perform pgagent.claim_job('w1');
  perform pgagent.fail_job(job_id, fencing_token, '1')
  from pgagent.agent_jobs where status = 'IN_PROGRESS';
  select available_at - pgagent._now() into v_wait from pgagent.agent_jobs where thread_id = thread;
  perform pgagent_test.advance('2 hours');
  return v_wait between shortest and longest;
end
$$;

select ok(pg_temp.waits('t', '44 min', '60 min'), 'its own base, less up to a quarter');
select ok(pg_temp.waits('t', '67 min', '90 min'), 'doubled, up to its own cap');
select ok(pg_temp.waits('t', '67 min', '90 min'), 'and not beyond');
select ok(pg_temp.waits('u', '5 s', '8 s'), 'the settings hold for others');

select * from finish();
rollback;
