begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t', '1 hour');
select pgagent.decide_approval(pg_temp.approval('t'), 'approve');
select pgagent_test.advance('2 hours');

select is(pgagent.expire_approvals(), 0::bigint);
select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
