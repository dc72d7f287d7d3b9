begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"in two hours"', priority => 9, delay => '2 hours');
select pgagent.enqueue_job('t', '"in one hour"', delay => '1 hour');

select is(pg_temp.finish_and_claim('t'), null);
select results_eq(
  'select payload, status from pgagent.agent_jobs where seq > 1 order by seq',
  $$
    values
    ('"in two hours"'::jsonb, 'WAITING' collate "C"), ('"in one hour"', 'PENDING')
  $$
);

select * from finish();
rollback;
