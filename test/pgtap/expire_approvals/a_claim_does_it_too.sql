begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t', '1 hour');
select pgagent.enqueue_job('t', '"next"');
select pgagent_test.advance('2 hours');

select is((select payload from pgagent.claim_job('w2')), '"next"'::jsonb, 'the place is free');
select is((select count(*) from pgagent.approvals where status = 'TIMED_OUT'), 1::bigint);

select * from finish();
rollback;
