begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select results_eq(
  $$select * from pgagent.cancel_job(pg_temp.job('t'))$$,
  $$values ('requested', 'IN_PROGRESS')$$
);
select is((select owner_token from pgagent.sessions), 1::bigint, 'its worker may still write');
select lives_ok($$select pg_temp.put('t', 'c1', 1)$$);

select * from finish();
rollback;
