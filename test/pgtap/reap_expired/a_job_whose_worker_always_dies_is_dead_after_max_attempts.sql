-- A job that kills its worker must not loop for ever, and the thread is free again.
begin;
\ir ../_lib.sql
select plan(5);

select pgagent.enqueue_job('t', '{}');
select pgagent.enqueue_job('t', '"behind it"');
create function pg_temp.die() returns text
language plpgsql volatile
as $$
declare
  v_payload text;
begin
  select payload into v_payload from pgagent.claim_job('w1');
  perform pgagent_test.advance('61 s');
  return v_payload;
end
$$;

select results_eq(
  'select pg_temp.die() from generate_series(1, 4)',
  $$values ('{}'), ('{}'), ('{}'), ('"behind it"')$$
);
select results_eq(
  'select status, attempt from pgagent.agent_jobs where seq = 1',
  $$values ('FAILED' collate "C", 3)$$
);
select results_eq(
  'select attempt, outcome, job_status from pgagent.job_attempts order by token',
  $$
    values
    (1, 'lost' collate "C", 'PENDING' collate "C"), (2, 'lost', 'PENDING'), (3, 'lost', 'FAILED')
  $$
);
select is(
  (select count(*) from pgagent.session_events where kind = 'delivery_failed'), 1::bigint
);
select is(
  (select error ->> 'type' from pgagent.agent_jobs where seq = 1), 'lost', 'and says why'
);

select * from finish();
rollback;
