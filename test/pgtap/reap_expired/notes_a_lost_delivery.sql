begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent_test.advance('61 s');
select pgagent.reap_expired();

select results_eq(
  'select token, worker, outcome, job_status, error ->> ''type'' from pgagent.job_attempts',
  $$
    values (1::bigint, 'w1' collate "C", 'lost' collate "C", 'PENDING' collate "C", 'lost')
  $$
);
select results_eq(
  'select kind from pgagent.session_events order by seq desc limit 1', array['job_lost' collate "C"]
);

select * from finish();
rollback;
