begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.wait() returns interval
language sql volatile
as $$
  select j.available_at - a.ended_at
  from pgagent.agent_jobs as j
  join pgagent.job_attempts as a on a.token = j.fencing_token
$$;

select pgagent.set_setting('retry_base', '100 s');
select pgagent.set_setting('retry_cap', '150 s');
select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"first"');

select cmp_ok(
  pg_temp.wait(), '>=', interval '75 s'
);
select cmp_ok(
  pg_temp.wait(), '<=', interval '100 s'
);
select pgagent_test.advance('101 s');
select fencing_token from pgagent.claim_job('w2');
select pgagent.fail_job(pg_temp.job('t'), 2, '"second"');
select cmp_ok(
  pg_temp.wait(), '>=', interval '112.5 s',
  'doubled, but not beyond the cap'
);
select cmp_ok(
  pg_temp.wait(), '<=', interval '150 s'
);

select * from finish();
rollback;
