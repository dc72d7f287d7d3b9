begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.put('t', 'c0', 1, source => 'input', step => -1);
select pgagent_test.advance('20 s');
select pg_temp.put('t', 'c1', 1, step => 0);
select cmp_ok(pg_temp.lease_left('t'), '<', interval '41 s', 'more than half is left');
select pgagent_test.advance('20 s');
select pg_temp.put('t', 'c2', 1, step => 1);
select cmp_ok(pg_temp.lease_left('t'), '>', interval '59 s', 'less than half was left');

select * from finish();
rollback;
