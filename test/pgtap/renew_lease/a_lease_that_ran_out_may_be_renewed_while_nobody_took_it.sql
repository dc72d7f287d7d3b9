begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent_test.advance('1 hour');

select is((select lease_left from pgagent.renew_lease(pg_temp.job('t'), 1)), interval '60 s');
select is_empty($$select * from pgagent.claim_job('w2')$$);

select * from finish();
rollback;
