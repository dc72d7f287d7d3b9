-- One call of each function that writes, and of each that reads, for tests that say something about
-- all of them. The first test below _fence and _tenancy fails when a function has no entry here.

-- A thread with a run in its second delivery: token 1 is stale, token 2 owns it. It has a
-- message, a checkpoint, a tool call that was begun and an approval that was requested.
create function pg_temp.busy_thread(thread text, owner text default null) returns void
language plpgsql volatile
as $$
begin
  perform pgagent.create_session(thread, owner);
  perform pgagent.append_message(thread, 'user', '"hello"');
  perform pgagent.start_run(thread, 'w1', queue => thread, lease => '1 us');
  perform pgagent.begin_tool_call(thread, 'pay', 'begun', fencing_token => 1);
  perform pgagent.request_approval(thread, 'asked', 'pay', fencing_token => 1);
  perform pgagent.reap_expired();
  perform pgagent.claim_job('w2', queue => thread);
  perform pg_temp.put(thread, 'c1', 2);
end
$$;

create function pg_temp.call(thread text) returns uuid
language sql volatile security definer
as 'select call_id from pgagent.tool_calls where thread_id = $1';

-- fenced: takes a fencing token. kind: the least kind of role that may call it.
create function pg_temp.calls(thread text, token bigint)
returns table (routine text, fenced boolean, kind text, call text)
language sql volatile
as $$
  select
    c.routine, c.arguments like '%{token}%', c.kind,
    replace(replace(replace(replace(replace(
      format('select pgagent.%s(%s)', c.routine, c.arguments),
      '{thread}', quote_literal(thread)),
      '{token}', coalesce(token::text, 'null')),
      '{job}', format('%L::uuid', pg_temp.job(thread))),
      '{call}', format('%L::uuid', pg_temp.call(thread))),
      '{approval}', format('%L::uuid', pg_temp.approval(thread)))
  from (
    values
    ('create_session', 'tenant', '{thread}'),
    ('append_message', 'tenant', '{thread}, ''assistant'', ''"x"'', {token}'),
    ('append_messages', 'tenant', '{thread}, ''[{"role": "assistant", "content": 1}]'', {token}'),
    ('append_event', 'tenant', '{thread}, ''step'', null, {token}'),
    ('record_usage', 'tenant', '{thread}, ''u1'', 5, fencing_token => {token}'),
    ('record_summary', 'tenant', '{thread}, 1, ''"x"'', {token}'),
    ('enqueue_job', 'tenant', '{thread}, ''{}'''),
    ('enqueue_jobs', 'tenant',
      'jsonb_build_array(jsonb_build_object(''thread_id'', {thread}, ''payload'', 1))'),
    ('put_checkpoint', 'tenant',
      'jsonb_build_object(''thread_id'', {thread}, ''checkpoint_ns'', '''', ''checkpoint_id'', '
      '''c2'', ''checkpoint'', ''{}''::jsonb, ''metadata'', ''{}''::jsonb, ''channels'', '
      '''[]''::jsonb), '''', {token}'),
    ('put_writes', 'tenant',
      'jsonb_build_object(''thread_id'', {thread}, ''checkpoint_ns'', '''', ''checkpoint_id'', '
      '''c1'', ''task_id'', ''a'', ''writes'', ''[{"idx": 0, "channel": "c", "type": "text", '
      '"offset": 0, "length": 1}]''::jsonb), ''x'', {token}'),
    ('begin_tool_call', 'tenant', '{thread}, ''pay'', ''other'', fencing_token => {token}'),
    ('complete_tool_call', 'tenant', '{call}, ''1'', {token}'),
    ('fail_tool_call', 'tenant', '{call}, ''"no"'', fencing_token => {token}'),
    ('request_approval', 'tenant', '{thread}, ''k'', ''pay'', fencing_token => {token}'),
    ('decide_approval', 'tenant', '{approval}, ''approve'''),
    ('cancel_job', 'tenant', '{job}'),
    ('requeue_job', 'tenant', '{job}'),
    ('resume_job', 'tenant', '{job}, ''{"q": 1}'''),
    ('delete_session', 'tenant', '{thread}'),
    ('prune_history', 'tenant', '{thread}'),
    ('copy_thread', 'tenant', '{thread}, {thread} || ''-copy'''),
    ('fork_session', 'tenant', '{thread}, ''c1'', {thread} || ''-fork'''),
    ('delete_runs', 'worker', 'array[{thread}]'),
    ('discard_partial_outputs', 'worker', '{thread}, {token}'),
    ('renew_lease', 'worker', '{job}, {token}'),
    ('complete_job', 'worker', '{job}, {token}'),
    ('fail_job', 'worker', '{job}, {token}, ''"no"'''),
    ('release_job', 'worker', '{job}, {token}'),
    ('pause_job', 'worker', '{job}, {token}, ''{"q": 1}'''),
    ('start_run', 'worker', '{thread}, ''w3'''),
    ('claim_job', 'worker', '''w3'''),
    ('claim_jobs', 'worker', '''w3'''),
    ('reap_expired', 'worker', ''),
    ('sweep_orphans', 'worker', ''),
    ('expire_approvals', 'worker', ''),
    ('run_schedules', 'worker', ''),
    ('schedule_job', 'admin',
      '{thread}, ''@daily'', {thread}, ''{}'', scheduler => ''external'''),
    ('unschedule_job', 'admin', '{thread}'),
    ('set_setting', 'admin', '''retry_base'', ''2 s'''),
    ('pause_queue', 'admin', '''q'''),
    ('resume_queue', 'admin', '''q'''),
    ('limit_queue', 'admin', '''q'', 1'),
    ('delay_queue_retries', 'admin', '''q'', ''2 s''')
  ) as c (routine, kind, arguments)
$$;
