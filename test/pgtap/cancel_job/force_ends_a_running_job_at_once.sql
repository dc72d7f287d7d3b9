begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');

select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('t'), force => true)$$,
  $$values ('cancelled', 'CANCELLED')$$
);
select throws_ok($$select pg_temp.put('t', 'c1', 1)$$, 'PA002');
select results_eq(
  'select status, owner_token, active_job_id from pgagent.sessions',
  $$values ('IDLE' collate "C", null::bigint, null::uuid)$$
);
select is((select outcome from pgagent.job_attempts), 'cancelled' collate "C");

select * from finish();
rollback;
