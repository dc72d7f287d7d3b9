begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.release_job(pg_temp.job('t'), 1);
select is(pgagent.release_job(pg_temp.job('t'), 1), 'PENDING');
select fencing_token from pgagent.claim_job('w2');

select is(pgagent.release_job(pg_temp.job('t'), 1), 'PENDING', 'also when another has it');
select is((select owner_token from pgagent.sessions), 2::bigint, 'who keeps it');

select * from finish();
rollback;
