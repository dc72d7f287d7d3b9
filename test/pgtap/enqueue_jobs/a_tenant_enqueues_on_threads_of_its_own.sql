begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('theirs', 'bob');
select become('t_tenant');
select set_config('pgagent.user_id', 'ann', true);
create temporary table answers as
select * from pgagent.enqueue_jobs(
  '[{"thread_id": "mine", "payload": 1}, {"thread_id": "theirs", "payload": 1}]', keep_rest => true
);
select results_eq(
  $$select status, error ->> 'code' from answers order by ordinal$$,
  $$values ('PENDING', null), (null, 'PA011')$$
);
select throws_ok(
  $$select pgagent.enqueue_jobs('[{"thread_id": "theirs", "payload": 1}]')$$, 'PA011'
);
select set_config('pgagent.user_id', '', true);
select throws_ok(
  $$select pgagent.enqueue_jobs('[{"thread_id": "x", "payload": 1}]', true)$$, 'PA011'
);
reset role;
select is((select user_id from pgagent.agent_sessions where thread_id = 'mine'), 'ann' collate "C");
select is_empty($$select from pgagent.agent_jobs where thread_id = 'theirs'$$);

select * from finish();
rollback;
