-- Whatever a function does wrong: the index refuses it.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '1');
select pgagent.enqueue_job('t', '2');

select throws_ok(
  $$update pgagent.agent_jobs set status = 'PENDING' where status = 'WAITING'$$, '23505'
);

select * from finish();
rollback;
