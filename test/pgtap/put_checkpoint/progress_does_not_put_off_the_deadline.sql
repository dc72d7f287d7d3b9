begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', timeout => '50 s');
select pgagent_test.advance('40 s');
select pg_temp.put('t', 'c1', 1);

select cmp_ok(pg_temp.lease_left('t'), '<', interval '11 s');

select * from finish();
rollback;
