begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run(
  't', 'w1', traceparent => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
);
select results_eq(
  'select trace_id, traceparent from pgagent.agent_jobs',
  $$
    values (
      '0af7651916cd43dd8448eb211c80319c' collate "C",
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' collate "C"
    )
  $$
);
select throws_ok('select pgagent.start_run(''u'', ''w1'', traceparent => ''x'')', 'PA008');

select * from finish();
rollback;
