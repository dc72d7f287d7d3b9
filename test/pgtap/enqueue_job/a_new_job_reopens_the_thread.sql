begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"x"', fatal => true);
select is((select status from pgagent.sessions), 'FAILED' collate "C");
select pgagent.enqueue_job('t', '{}');

select results_eq(
  'select status, completed_at from pgagent.sessions',
  $$values ('IDLE' collate "C", null::timestamptz)$$
);

select * from finish();
rollback;
