begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.release_job(pg_temp.job('t'), 1, '10 s');

select is_empty($$select * from pgagent.claim_job('w2')$$);
select pgagent_test.advance('11 s');
select isnt_empty($$select * from pgagent.claim_job('w2')$$);

select * from finish();
rollback;
