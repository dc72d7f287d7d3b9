-- Elements of enqueue_jobs, taken apart.

-- A length of time in JSON: a number of seconds, or text as the type interval takes it.
create function pgagent._interval_of(value jsonb)
returns interval
language sql
stable
parallel safe
begin atomic
  select
    case jsonb_typeof(value)
      when 'number' then (value::numeric)::double precision * interval '1 s'
      when 'null' then null
      else (value #>> '{}')::interval
    end;
end;

comment on function pgagent._interval_of(jsonb) is
'A length of time in JSON: a number of seconds, or text.';

-- Reads one element and judges it as enqueue_job would its arguments. What it leaves out is as
-- there. Nothing is raised: a refusal is in `error`.
create function pgagent._read_job(element jsonb, ordinal bigint)
returns pgagent._new_job
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  j pgagent._new_job;
  v_code text;
  v_message text;
  v_detail text;
  v_hint text;
  v_unknown text;
begin
  j.ordinal := _read_job.ordinal;
  if jsonb_typeof(element) <> 'object' then
    perform pgagent._raise('PA008', 'a job must be a JSON object');
  end if;
  select
    x.thread_id, element -> 'payload', coalesce(x.queue, 'default'), coalesce(x.priority, 0),
    coalesce(pgagent._interval_of(element -> 'delay'), '0'),
    coalesce(nullif(x.config, 'null'), '{}'), x.idempotency_key, coalesce(x.max_attempts, 3),
    pgagent._interval_of(element -> 'timeout'), pgagent._interval_of(element -> 'step_timeout'),
    coalesce(x.on_busy, 'enqueue'), x.trace_id, pgagent._interval_of(element -> 'retry_base'),
    pgagent._interval_of(element -> 'retry_cap'), x.traceparent
  into
    j.thread_id, j.payload, j.queue, j.priority, j.delay, j.config, j.idempotency_key,
    j.max_attempts, j.timeout, j.step_timeout, j.on_busy, j.trace_id, j.retry_base, j.retry_cap,
    j.traceparent
  from jsonb_to_record(element) as x (
    thread_id text, queue text, priority integer, config jsonb, idempotency_key text,
    max_attempts integer, on_busy text, trace_id text, traceparent text
  );
  if element - pgagent._job_members() <> '{}' then
    select min(k.key) into v_unknown
    from jsonb_object_keys(element - pgagent._job_members()) as k (key);
    perform pgagent._raise(
      'PA008', 'a job has no such member', format('member: %s', left(v_unknown, 100)),
      'Members are named as the arguments of enqueue_job.'
    );
  end if;
  perform pgagent._check_job(
    j.thread_id, j.payload, j.queue, j.priority, j.delay, j.config, j.idempotency_key,
    j.max_attempts, j.timeout, j.step_timeout, j.trace_id, j.retry_base, j.retry_cap,
    j.traceparent
  );
  j.trace_id := coalesce(j.trace_id, pgagent._trace_of(j.traceparent));
  if j.on_busy not in ('enqueue', 'reject') then
    perform pgagent._raise(
      'PA008', 'on_busy must be enqueue or reject in a batch',
      format('on_busy: %s', left(j.on_busy, 100)),
      'enqueue_job ends the live job of one thread.'
    );
  end if;
  if j.idempotency_key is not null then
    j.fingerprint := pgagent._job_fingerprint(j.payload, j.config);
  end if;
  return j;
exception
  when sqlstate 'PA008' or sqlstate 'PA009' then
    get stacked diagnostics
      v_code = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
      v_hint = pg_exception_hint;
    j.error := jsonb_build_object(
      'code', v_code, 'message', v_message, 'detail', v_detail, 'hint', v_hint
    );
    return j;
  when invalid_text_representation or numeric_value_out_of_range or invalid_datetime_format
    or datetime_field_overflow or interval_field_overflow then
    get stacked diagnostics v_message = message_text;
    j.error := jsonb_build_object(
      'code', 'PA008', 'message', 'a member is of another type', 'detail', v_message,
      'hint', 'Counts are whole numbers; times are seconds, or intervals as text.'
    );
    return j;
end
$$;

comment on function pgagent._read_job(jsonb, bigint) is
'Reads one element of enqueue_jobs; a refusal is in its error.';

create function pgagent._job_members()
returns text[]
language sql
immutable
parallel safe
begin atomic
  select
    '{thread_id,payload,queue,priority,delay,config,idempotency_key,max_attempts,timeout,
      step_timeout,on_busy,trace_id,traceparent,retry_base,retry_cap}'::text[];
end;

comment on function pgagent._job_members() is
'The members that an element of enqueue_jobs may have.';
