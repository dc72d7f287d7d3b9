-- Records what a model call used, once.
--
-- thread_id:      the thread.
-- usage_key:      what was billed, unique in the thread and the same in a retry.
-- input_tokens, output_tokens: counts.
-- cost:           price, in the unit the caller uses throughout.
-- model:          the model.
-- data:           anything else the provider reports (at most 1 MB).
-- fencing_token:  the token of the run that writes.
-- Returns:        true when this call recorded it, false when it was recorded before.
-- Locks:          the session.
-- Raises:         PA008, PA009 bad arguments; PA003, PA006, PA011 the thread; PA001, PA002 the
--                 fence; PA004 the key was used with other figures.
-- Safe to repeat: yes.
create function pgagent.record_usage(
  thread_id text, usage_key text, input_tokens bigint default 0, output_tokens bigint default 0,
  cost numeric default null, model text default null, data jsonb default null,
  fencing_token bigint default null
)
returns boolean
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  v_fingerprint bytea;
  v_known bytea;
begin
  perform pgagent._check_name('usage_key', record_usage.usage_key);
  if record_usage.model is not null then
    perform pgagent._check_name('model', record_usage.model);
  end if;
  perform pgagent._check_size('data', record_usage.data, 'payload');
  if coalesce(record_usage.input_tokens, -1) < 0 or coalesce(record_usage.output_tokens, -1) < 0
    or record_usage.cost < 0 or record_usage.cost in ('NaN', 'Infinity') then
    perform pgagent._raise(
      'PA008', 'tokens are counts and cost is not negative',
      format(
        'input_tokens: %s, output_tokens: %s, cost: %s',
        record_usage.input_tokens, record_usage.output_tokens, record_usage.cost
      )
    );
  end if;
  v_fingerprint := pgagent._fingerprint(jsonb_build_array(
    record_usage.input_tokens, record_usage.output_tokens, trim_scale(record_usage.cost),
    record_usage.model, record_usage.data
  ));

  s := pgagent._enter(record_usage.thread_id, record_usage.fencing_token);
  insert into pgagent.usage_records as u (
    thread_id, usage_key, model, input_tokens, output_tokens, cost, data, fingerprint, job_id
  )
  values (
    record_usage.thread_id, record_usage.usage_key, record_usage.model, record_usage.input_tokens,
    record_usage.output_tokens, record_usage.cost, record_usage.data, v_fingerprint,
    case when s.owner_token = fencing_token then s.active_job_id end
  )
  on conflict on constraint usage_records_pkey do nothing;
  if found then
    return true;
  end if;

  select u.fingerprint into v_known
  from pgagent.usage_records as u
  where u.thread_id = record_usage.thread_id and u.usage_key = record_usage.usage_key;
  if v_known <> v_fingerprint then
    perform pgagent._raise(
      'PA004', 'the usage key was used before with other figures',
      format('thread_id: %s, usage_key: %s', record_usage.thread_id, record_usage.usage_key),
      'Take a new key for another call.'
    );
  end if;
  return false;
end
$$;

comment on function pgagent.record_usage(
  text, text, bigint, bigint, numeric, text, jsonb, bigint
) is
'Records tokens and cost under a key, once; says whether this call did.';
