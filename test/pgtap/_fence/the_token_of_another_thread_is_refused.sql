begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('a');
select pg_temp.run('b');
select pgagent.release_job(pg_temp.job('b'), 1);
select fencing_token from pgagent.claim_job('w2');

select throws_ok($$select pg_temp.put('a', 'c1', 2)$$, 'PA002');
select throws_ok($$select pgagent.complete_job(pg_temp.job('a'), 2)$$, 'PA002');

select * from finish();
rollback;
