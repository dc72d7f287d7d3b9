begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.append_message('t', 'tool_call', '{}', 1, tool_call_id => 'call1');
select pgagent.append_message(
  't', 'tool_result', '{"ok": true}', 1, turn => 'turn1', idempotency_key => 'k',
  tool_call_id => 'call1', context => '["doc"]', token_count => 12
);

select results_eq(
  $$
    select
      role, content, turn, idempotency_key, tool_call_id, context, token_count,
      job_id = pg_temp.job('t'), retracted_at
    from pgagent.session_messages
    where seq = 2
  $$,
  $$
    values (
      'tool_result' collate "C", '{"ok": true}'::jsonb, 'turn1' collate "C", 'k' collate "C",
      'call1' collate "C", '["doc"]'::jsonb, 12::bigint, true, null::timestamptz
    )
  $$
);

select * from finish();
rollback;
