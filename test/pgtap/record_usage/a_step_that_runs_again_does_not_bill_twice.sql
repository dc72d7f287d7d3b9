-- The next delivery sends the same key under another token.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', lease => '1 us');
select pgagent.record_usage('t', 'step3', 100, fencing_token => 1);
select fencing_token from pgagent.claim_job('w2');

select is(pgagent.record_usage('t', 'step3', 100, fencing_token => 2), false);

select * from finish();
rollback;
