begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1);
select pg_temp.put('t', 'c2', 1, step => 1);
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": "?"}');

select results_eq(
  'select interrupt_id from pgagent.pending_approvals', $$values ('q' collate "C")$$
);
select is(
  (select status from pgagent.approvals where tool_call_key = 'k'), 'SUPERSEDED' collate "C"
);

select * from finish();
rollback;
