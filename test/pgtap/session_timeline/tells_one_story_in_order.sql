begin;
\ir ../_lib.sql
select plan(4);

select pgagent.append_message('t', 'user', '"hello"', turn => 'one', context => '[1]')
from pgagent.create_session('t');
select pgagent_test.advance('1 s');
select token from pg_temp.run('t') as token \gset
select pgagent_test.advance('1 s');
select pg_temp.put('t', 'c1', :token, step => 4);
select pgagent_test.advance('1 s');
select pgagent.begin_tool_call(
  't', 'pay', 'k', '{"eur": 5}', fencing_token => :token, step_id => 'c1'
) as call \gset
select pgagent_test.advance('1 s');
select pgagent.append_message('t', 'assistant', '"paid"', :token);
select pgagent.complete_tool_call(t.call_id, '"done"', :token) from pgagent.tool_calls as t;
select pg_temp.put('t', 's1', :token, ns => 'sub');

select results_eq(
  $$select s.kind, s.name, s.number from pgagent.session_timeline('t') as s$$,
  $$
    values
    ('message', 'user', 1::bigint), ('event', 'job_enqueued', 1), ('event', 'job_claimed', 2),
    ('checkpoint', 'loop', 1),
    ('tool_call', 'pay', null), ('message', 'assistant', 2)
  $$
);
select results_eq(
  $$
    select s.kind, s.data - 'ended_at', s.job_id
    from pgagent.session_timeline('t') as s where s.kind <> 'event'
  $$,
  $$
    values
    ('message', '{"content": "hello", "turn": "one", "context": [1]}'::jsonb, null::uuid),
    ('checkpoint', '{"step": 4, "nodes": [], "parent_id": null}', pg_temp.job('t')),
    (
      'tool_call',
      '{"args": {"eur": 5}, "status": "SUCCEEDED", "attempts": 1, "step": 5, "result": "done"}',
      pg_temp.job('t')
    ),
    ('message', '{"content": "paid"}', pg_temp.job('t'))
  $$
);
select results_eq(
  $$
    select s.kind
    from pgagent.session_timeline('t', kinds => '{tool_call,checkpoint}') as s
  $$,
  '{checkpoint,tool_call}'::text[], 'some kinds alone'
);
select is_empty($$select * from pgagent.session_timeline('nowhere')$$);

select * from finish();
rollback;
