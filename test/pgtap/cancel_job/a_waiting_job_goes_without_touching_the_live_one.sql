begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '2');
select pgagent.cancel_job(pg_temp.job('t'));

select results_eq(
  'select status, owner_token from pgagent.sessions',
  $$values ('RUNNING' collate "C", 1::bigint)$$
);

select * from finish();
rollback;
