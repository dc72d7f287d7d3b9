begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');

select is((select job_id from pgagent.checkpoints), null);
select is(pg_temp.latest('t'), 'c1');

select * from finish();
rollback;
