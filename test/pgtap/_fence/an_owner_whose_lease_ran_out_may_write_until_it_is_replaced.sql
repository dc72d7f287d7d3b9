-- No clock decides who may write: only another claim does.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent_test.advance('2 hours');

select lives_ok($$select pgagent.append_event('t', 'x', null, 1)$$);
select is((select fencing_token from pgagent.claim_job('w2')), 2::bigint, 'another claims it');
select throws_ok($$select pgagent.append_event('t', 'x', null, 1)$$, 'PA002');

select * from finish();
rollback;
