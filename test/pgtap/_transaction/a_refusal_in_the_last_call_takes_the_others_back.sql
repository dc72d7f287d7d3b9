begin;
\ir ../_lib.sql
select plan(3);

create table public.refunds (thread_id text);
select pgagent.start_run('t', 'w1', lease => '1 us');
create function pg_temp.work() returns void
language plpgsql volatile
as $$
begin
  insert into public.refunds values ('t');
  perform pgagent.append_message('t', 'user', '"x"');
  perform pgagent.append_event('t', 'refunded', null, 1);
  perform pg_temp.put('t', 'c1', 1, source => 'update');
  perform pgagent.reap_expired();
  perform pgagent.complete_job(pg_temp.job('t'), 1);
end
$$;

select throws_ok('select pg_temp.work()', 'PA002');
select is((select count(*) from public.refunds), 0::bigint);
select results_eq(
  $$
    select last_message_seq, last_event_seq, last_checkpoint_seq, status from pgagent.agent_sessions
  $$,
  $$values (0::bigint, 2::bigint, 0::bigint, 'RUNNING' collate "C")$$
);

select * from finish();
rollback;
