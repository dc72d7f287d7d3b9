-- Stores what one task wrote: with this stored, the task does not run again.
--
-- header: a JSON object:
--   thread_id, checkpoint_ns, checkpoint_id   the checkpoint the task ran from
--   task_id, task_path                        the task; writes apply in the order of paths
--   writes      [{idx, channel, type, offset, length}]
--   seen_token  the fencing token seen when the run read the thread (plain runs)
-- body:   the serialised values, one after the other.
-- fencing_token: the token of the run that writes; null for a plain run, which makes the thread.
-- Returns: how many writes were stored. A repeated idx is left as it is, or replaced when it is
--          negative (errors, interrupts and the like).
-- Locks:   the session, shared: the tasks of a step do not wait for each other. last_activity_at
--          does not move. In a transaction of several calls another one comes first: two that share
--          the session and then change it would deadlock.
-- Raises:  PA008, PA009 bad header; PA003 no such thread (with a token); PA011 somebody else's;
--          PA006 deleted or archived; PA001 busy; PA002 stale.
-- Safe to repeat: yes.
create function pgagent.put_writes(
  header jsonb, body bytea default '', fencing_token bigint default null
)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_service boolean := pgagent._is_service();
  v_tenant text := pgagent._tenant();
  h record;
  v_job_id uuid;
  v_count bigint;
begin
  if (
    pgagent._is_usual_header(header, body, 'writes')
    and octet_length(header ->> 'task_id') between 1 and pgagent._limit('name')
  ) is not true then
    perform pgagent._check_saver_header(header, body, 'writes');
    perform pgagent._check_name('task_id', header ->> 'task_id');
  end if;
  select * into h
  from jsonb_to_record(header) as x (
    thread_id text, checkpoint_ns text, checkpoint_id text, task_id text, task_path text,
    writes jsonb, seen_token numeric
  );

  loop
    select a.active_job_id into v_job_id
    from pgagent.agent_sessions as a
    where a.thread_id = h.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and a.owner_token is not distinct from put_writes.fencing_token
      and (
        put_writes.fencing_token is not null
        or coalesce(h.seen_token, a.fencing_token) = a.fencing_token
      )
      and (v_service or a.user_id = v_tenant)
    for share of a;
    exit when found;
    -- Names the refusal, makes the thread, or holds the row that has just become free.
    perform pgagent._enter_saver(h.thread_id, put_writes.fencing_token, h.seen_token::bigint);
  end loop;

  insert into pgagent.checkpoint_writes as w (
    thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path, job_id
  )
  select distinct on (x.idx)
    h.thread_id, h.checkpoint_ns, h.checkpoint_id, h.task_id, x.idx, e.element ->> 'channel',
    e.element ->> 'type', pgagent._slice(body, e.element), coalesce(h.task_path, ''),
    case when put_writes.fencing_token is not null then v_job_id end
  from jsonb_array_elements(h.writes) with ordinality as e (element, ordinal)
  cross join lateral (select (e.element -> 'idx')::integer as idx) as x
  -- Within one call too, the last of a negative idx wins, and the first of any other.
  order by x.idx, case when x.idx < 0 then - e.ordinal else e.ordinal end
  on conflict on constraint checkpoint_writes_pkey do update
  set
    channel = excluded.channel, type = excluded.type, blob = excluded.blob,
    task_path = excluded.task_path, job_id = excluded.job_id
  where w.idx < 0;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function pgagent.put_writes(jsonb, bytea, bigint) is
'Stores what one task wrote before the next checkpoint; returns how many writes were new.';
