begin;
\ir ../_lib.sql
select plan(4);

select pgagent.start_run('t', 'w1', max_attempts => 1);
select pg_temp.put('t', 'c1', 1, step => 0);

select is(pgagent.fail_job(pg_temp.job('t'), 1, '"x"', retry_in => '0'), 'PENDING');
select is((select attempt from pgagent.agent_jobs), 0);
select is((select attempt from pgagent.claim_job('w2')), 1);
select is(
  pgagent.fail_job(pg_temp.job('t'), 2, '"x"'), 'FAILED', 'but not without further progress'
);

select * from finish();
rollback;
