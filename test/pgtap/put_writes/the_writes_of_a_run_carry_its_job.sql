begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pg_temp.put_write('t', 'c1', 'a', 0, 'v', 1);

select is((select job_id from pgagent.checkpoint_writes), pg_temp.job('t'));

select * from finish();
rollback;
