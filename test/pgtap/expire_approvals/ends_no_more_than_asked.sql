begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.pause('a', '1 hour'), pg_temp.pause('b', '1 hour');
select pgagent_test.advance('2 hours');

select is(pgagent.expire_approvals(1), 1::bigint);
select is((select count(*) from pgagent.approvals where status = 'PENDING'), 1::bigint);
select throws_ok('select pgagent.expire_approvals(0)', 'PA008');
select throws_ok('select pgagent.expire_approvals(null)', 'PA008');
select throws_ok('select pgagent.expire_approvals(10001)', 'PA009');

select * from finish();
rollback;
