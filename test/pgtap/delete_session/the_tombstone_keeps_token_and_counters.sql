begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1');
select pgagent.append_message('t', 'user', '"x"');
select pg_temp.put('t', 'c1', 1);
select pgagent.delete_session('t');

select results_eq(
  $$
    select fencing_token, last_message_seq, last_event_seq, last_job_seq, last_checkpoint_seq
    from pgagent.agent_sessions
  $$,
  $$values (2::bigint, 1::bigint, 2::bigint, 1::bigint, 1::bigint)$$
);

select * from finish();
rollback;
