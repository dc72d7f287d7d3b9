begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pg_temp.put('t', 'c2', 1, ns => 'sub');

select is(
  (select count(*) from pgagent.checkpoints where job_id = pg_temp.job('t')), 2::bigint
);

select * from finish();
rollback;
