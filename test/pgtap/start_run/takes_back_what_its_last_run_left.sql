begin;
\ir ../_lib.sql
select plan(4);

select pgagent.start_run('t', 'w1', single_delivery => true);
select pg_temp.put('t', 'c1', 1, step => 1);
select throws_ok($$select pgagent.start_run('t', 'w2')$$, 'PA001', null, 'while the lease lasts');
select pgagent_test.advance('61 s');
select is(
  (select r.fencing_token from pgagent.start_run('t', 'w2', max_attempts => 2) as r), 2::bigint,
  'a run with a single delivery makes room, whatever its progress'
);
select results_eq(
  'select seq, status, error ->> $$type$$ from pgagent.agent_jobs order by seq',
  $$values (1::bigint, 'FAILED' collate "C", 'lost'), (2, 'IN_PROGRESS', null)$$
);
select pgagent_test.advance('61 s');
select throws_ok(
  $$select pgagent.start_run('t', 'w3')$$, 'PA001', null, 'one that may be waits for a worker'
);

select * from finish();
rollback;
