begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');
select pg_temp.run('t');
select pgagent.complete_job(pg_temp.job('t'), 1);

select throws_ok($$select pg_temp.put_write('t', 'c1', 'a', 0, 'v', seen => 0)$$, 'PA002');
select is(pg_temp.put_write('t', 'c1', 'a', 0, 'v', seen => 1), 1::bigint);

select * from finish();
rollback;
