begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select pgagent_test.advance('100 days');

select is_empty($$select * from pgagent.claim_job('w2')$$);
select is(pgagent.reap_expired(), 0::bigint);
select is(pg_temp.status_of('t'), 'AWAITING_HUMAN');

select * from finish();
rollback;
