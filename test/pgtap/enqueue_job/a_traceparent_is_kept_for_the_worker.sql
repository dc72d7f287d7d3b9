begin;
\ir ../_lib.sql
select plan(6);

\set tp '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
select pgagent.enqueue_job('t', '1', traceparent => :'tp', idempotency_key => 'k');
select pgagent.enqueue_job('u', '1', traceparent => :'tp', trace_id => 'mine');
select pgagent.enqueue_jobs(
  jsonb_build_array(jsonb_build_object('thread_id', 'v', 'payload', 1, 'traceparent', :'tp'))
);

select results_eq(
  'select thread_id, trace_id, traceparent from pgagent.agent_jobs order by thread_id',
  format(
    $$
      values
      ('t' collate "C", '0af7651916cd43dd8448eb211c80319c' collate "C", %1$L collate "C"),
      ('u', 'mine', %1$L),
      ('v', '0af7651916cd43dd8448eb211c80319c', %1$L)
    $$,
    :'tp'
  ),
  'its trace is the default of trace_id'
);
select results_eq(
  'select distinct trace_id from pgagent.session_events where thread_id = ''t''',
  $$values ('0af7651916cd43dd8448eb211c80319c' collate "C")$$,
  'events carry the trace'
);
select is(
  (
    select enqueued
    from pgagent.enqueue_job(
      't', '1', idempotency_key => 'k',
      traceparent => '00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-01'
    )
  ),
  false,
  'the same request again, under another span, is the same job'
);
select results_eq(
  'select thread_id, traceparent from pgagent.claim_jobs(''w1'', max_jobs => 2)',
  format('values (''t'', %1$L), (''u'', %1$L)', :'tp'),
  'a claim has it'
);
select is(
  (select g.traceparent from pgagent.get_job(pg_temp.job('t')) as g), :'tp', 'so has a look'
);
select pgagent.limit_queue('default', 5);
select is(
  (select c.traceparent from pgagent.claim_job('w1') as c), :'tp', 'also where a queue has rules'
);

select * from finish();
rollback;
