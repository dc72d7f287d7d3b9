-- What the tests share. Each test runs in one transaction and rolls it back, so it leaves nothing.

-- What goes round for ever fails.
set local statement_timeout = '30 s';

-- The newest job of a thread, whoever asks.
create function pg_temp.job(thread text) returns uuid
language sql volatile security definer
as 'select job_id from pgagent.agent_jobs where thread_id = $1 order by seq desc limit 1';

-- Its status.
create function pg_temp.status_of(thread text) returns text
language sql volatile security definer
as 'select status from pgagent.agent_jobs where job_id = pg_temp.job($1)';

-- The token of the thread's owner, or of its last one.
create function pg_temp.token(thread text) returns bigint
language sql volatile security definer
as 'select fencing_token from pgagent.agent_sessions where thread_id = $1';

-- A thread with a running job, claimed by worker w1.
create function pg_temp.run(thread text) returns bigint
language sql volatile
as 'select fencing_token from pgagent.start_run(thread, ''w1'')';

-- Stores a small checkpoint.
create function pg_temp.put(
  thread text, id text, token bigint default null, source text default 'loop',
  step integer default 0, ns text default '', parent text default null,
  parents jsonb default '{}', seen bigint default null
) returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', thread, 'checkpoint_ns', ns, 'checkpoint_id', id,
      'parent_checkpoint_id', parent,
      'checkpoint', jsonb_build_object('v', 4, 'id', id, 'channel_versions', '{}'::jsonb),
      'metadata', jsonb_build_object('source', source, 'step', step, 'parents', parents),
      'inline', null, 'channels', '[]'::jsonb, 'seen_token', seen
    ), '', token
  )
$$;

-- Stores one write of a task.
create function pg_temp.put_write(
  thread text, checkpoint text, task text, idx integer, value text, token bigint default null,
  channel text default 'c', ns text default '', seen bigint default null
) returns bigint
language sql volatile
as $$
  select pgagent.put_writes(
    jsonb_build_object(
      'thread_id', thread, 'checkpoint_ns', ns, 'checkpoint_id', checkpoint, 'task_id', task,
      'task_path', '', 'seen_token', seen,
      'writes', jsonb_build_array(jsonb_build_object(
        'idx', idx, 'channel', channel, 'type', 'text', 'offset', 0,
        'length', octet_length(value)
      ))
    ), convert_to(value, 'UTF8'), token
  )
$$;

-- The error that a call ends with: 'PA001 message | detail | hint'; null when it ends well.
create function pg_temp.refusal(call text) returns text
language plpgsql volatile
as $$
declare
  v_message text;
  v_detail text;
  v_hint text;
begin
  execute call;
  return null;
exception when others then
  get stacked diagnostics
    v_message = message_text, v_detail = pg_exception_detail, v_hint = pg_exception_hint;
  return format('%s %s | %s | %s', sqlstate, v_message, v_detail, v_hint);
end
$$;

-- Claims the next job of the default queue: its thread; null when there is none.
create function pg_temp.next() returns text
language sql volatile
as $$select thread_id from pgagent.claim_job('w1')$$;

-- Completes the running job of a thread and claims what is due then: its payload.
create function pg_temp.finish_and_claim(thread text) returns jsonb
language plpgsql volatile
as $$
begin
  perform pgagent.complete_job(j.job_id, j.fencing_token)
  from pgagent.agent_jobs as j
  where j.thread_id = thread and j.status = 'IN_PROGRESS';
  return (select payload from pgagent.claim_job('w1'));
end
$$;

-- Stores a checkpoint with one channel in one version.
create function pg_temp.put_value(thread text, id text, channel text, version text, value text)
returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(
    jsonb_build_object(
      'thread_id', thread, 'checkpoint_ns', '', 'checkpoint_id', id, 'metadata', '{}'::jsonb,
      'checkpoint', jsonb_build_object('channel_versions', jsonb_build_object(channel, version)),
      'channels', jsonb_build_array(jsonb_build_object(
        'channel', channel, 'version', version, 'type', 'text', 'offset', 0,
        'length', octet_length(value)
      ))
    ), convert_to(value, 'UTF8')
  )
$$;

-- The id of the latest checkpoint, as a reader is given it.
create function pg_temp.latest(thread text, ns text default '') returns text
language sql volatile
as $$select id from pgagent.get_checkpoint(thread, ns) where kind = 'checkpoint'$$;

-- The ids that a list gives, in its order; null when it is empty.
create function pg_temp.list(thread text, ns text default null, before text default null)
returns text[]
language sql volatile
as $$
  select array_agg(l.id order by l.ordinal)
  from pgagent.list_checkpoints(thread, ns, before) with ordinality as l (
    kind, thread, ns, id, parent_id, seq, created_at, checkpoint, metadata, token, channel,
    version, type, blob, task_id, task_path, idx, ordinal
  )
  where l.kind = 'checkpoint'
$$;

-- What is left of the lease of a thread's job.
create function pg_temp.lease_left(thread text) returns interval
language sql volatile security definer
as $$
  select lease_expires_at - pgagent._now()
  from pgagent.agent_jobs where job_id = pg_temp.job(thread)
$$;

-- A paused run: it stored checkpoint c1 and asks whether tool pay may be called.
create function pg_temp.pause(thread text, timeout interval default null) returns void
language plpgsql volatile
as $$
begin
  perform pg_temp.run(thread);
  perform pg_temp.put(thread, 'c1', pg_temp.token(thread));
  perform pgagent.pause_job(
    pg_temp.job(thread), pg_temp.token(thread), jsonb_build_object('q', pg_temp.review('pay')),
    timeout
  );
end
$$;

-- A question about calls of tools, each with amount 10, in the form of LangChain's middleware.
create function pg_temp.review(variadic tools text[]) returns jsonb
language sql immutable
as $$
  select jsonb_build_object(
    'action_requests',
    jsonb_agg(jsonb_build_object('name', tool, 'args', '{"amount": 10}'::jsonb) order by n),
    'review_configs',
    jsonb_agg(
      jsonb_build_object(
        'action_name', tool, 'allowed_decisions', '["approve", "edit", "reject", "respond"]'::jsonb,
        'args_schema', '{
          "type": "object", "properties": {"amount": {"type": "integer", "maximum": 100}},
          "required": ["amount"], "additionalProperties": false
        }'::jsonb
      ) order by n
    )
  )
  from unnest(tools) with ordinality as t (tool, n)
$$;

-- The newest approval of a thread, whoever asks.
create function pg_temp.approval(thread text, place integer default 0) returns uuid
language sql volatile security definer
as $$
  select approval_id from pgagent.approvals
  where thread_id = $1 and position = $2
  order by created_at desc, approval_id desc limit 1
$$;
