begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', queue => 'q', lease => '1 us');

select is_empty($$select * from pgagent.claim_job('w2')$$);
select is((select fencing_token from pgagent.claim_job('w2', queue => 'q')), 2::bigint);

select * from finish();
rollback;
