-- Stores a checkpoint with its new channel values, in one call.
--
-- header: a JSON object:
--   thread_id, checkpoint_ns ('' for the root), checkpoint_id, parent_checkpoint_id (or null)
--   checkpoint  the checkpoint without channel_values, with channel_versions
--   metadata    source, step, parents and what the caller adds
--   inline      {type, offset, length, channels}: small scalar values of this checkpoint, as one
--               mapping, and the names of their channels
--   channels    [{channel, version, type, offset, length}]: one for each channel with a new
--               version. With `parts` the value is stored as items, see _put_values. Also digest
--               (hex) and digest_format; saved, what items would have saved.
--   carried     [channel]: those that have a value which the parent had too, and is not sent again
--   on_fork     'reject' raises PA012 unless the parent is the newest of the namespace; one of
--               source fork or update is a deliberate branch, and one stored again is none. Else a
--               branch is stored, and pgagent.forks shows it.
--   history     'latest' keeps no earlier checkpoint than what later ones need; see prune_history
--   seen_token  the fencing token seen when the run read the thread (plain runs)
--   leftovers   true while a job finishes what an ended run left: its own run has not begun
-- body:   the serialised values, one after the other; offset and length are bytes into it.
-- fencing_token: the token of the run that writes; null for a plain run, which makes the thread.
-- Returns: the number of the checkpoint: what "latest" means, whatever the clients' clocks say.
--          Storing an id again replaces checkpoint and metadata and keeps the number.
-- Locks:   the session; then the thread's job, the first time and when the lease runs low.
-- Raises:  PA008, PA009 bad header; PA003 no such thread (with a token); PA011 somebody else's;
--          PA006 deleted or archived; PA001 busy; PA002 stale; PA004 a version is stored with
--          another value; PA007 a base is not stored; PA010 the parent is not stored, and with
--          it a value that is carried or rebuilt; PA012 the thread went on.
-- Safe to repeat: yes.
create function pgagent.put_checkpoint(
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
  s pgagent.agent_sessions;
  v_source text;
  v_step integer;
  v_seq bigint;
  v_is_new boolean;
begin
  if (
    pgagent._is_usual_header(header, body, 'channels')
    and pg_column_size(header) <= pgagent._limit('checkpoint')
    and jsonb_typeof(header -> 'checkpoint') = 'object'
    and jsonb_typeof(header -> 'metadata') = 'object'
    and jsonb_typeof(header -> 'checkpoint' -> 'channel_versions') = 'object'
    and jsonb_typeof(coalesce(header -> 'carried', '[]')) = 'array'
    and coalesce(octet_length(header ->> 'parent_checkpoint_id'), 1)
    between 1 and pgagent._limit('name')
  ) is not true then
    perform pgagent._check_saver_header(header, body, 'channels');
    perform pgagent._check_checkpoint(header);
  end if;
  select * into h
  from jsonb_to_record(header) as x (
    thread_id text, checkpoint_ns text, checkpoint_id text, parent_checkpoint_id text,
    checkpoint jsonb, metadata jsonb, inline jsonb, channels jsonb, seen_token numeric
  );
  v_source := h.metadata ->> 'source';
  if h.checkpoint_ns = '' and v_source = 'loop' and fencing_token is not null then
    v_step := pgagent._step_of(h.metadata);
  end if;

  loop
    update pgagent.agent_sessions as a
    set
      last_checkpoint_seq = a.last_checkpoint_seq + 1,
      head_checkpoint_id = case h.checkpoint_ns
        when '' then h.checkpoint_id else a.head_checkpoint_id
      end,
      progress_step = greatest(a.progress_step, v_step),
      last_activity_at = greatest(a.last_activity_at, pgagent._now()),
      active_hour = date_bin('1 hour', greatest(a.last_activity_at, pgagent._now()), 'epoch')
    where a.thread_id = h.thread_id
      and a.status not in ('DELETED', 'ARCHIVED')
      and a.owner_token is not distinct from put_checkpoint.fencing_token
      and (
        put_checkpoint.fencing_token is not null
        or coalesce(h.seen_token, a.fencing_token) = a.fencing_token
      )
      and (v_service or a.user_id = v_tenant)
    returning a.* into s;
    exit when found;
    -- Names the refusal, makes the thread, or holds the row that has just become free.
    perform pgagent._enter_saver(h.thread_id, put_checkpoint.fencing_token, h.seen_token::bigint);
  end loop;

  if header ->> 'on_fork' = 'reject' and v_source not in ('fork', 'update') then
    perform pgagent._check_fork(
      h.thread_id, h.checkpoint_ns, h.checkpoint_id, h.parent_checkpoint_id
    );
  end if;
  insert into pgagent.checkpoints as c (
    thread_id, checkpoint_ns, checkpoint_id, seq, parent_checkpoint_id, checkpoint, metadata,
    inline_type, inline_values, inline_channels, job_id, run_id, created_at
  )
  values (
    h.thread_id, h.checkpoint_ns, h.checkpoint_id, s.last_checkpoint_seq, h.parent_checkpoint_id,
    h.checkpoint, h.metadata, h.inline ->> 'type', pgagent._slice(body, h.inline),
    (
      select array_agg(n.name)
      from jsonb_array_elements_text(h.inline -> 'channels') as n (name)
    ),
    case when put_checkpoint.fencing_token is not null then s.active_job_id end,
    h.metadata ->> 'run_id', s.last_activity_at
  )
  on conflict on constraint checkpoints_pkey do update
  set
    checkpoint = excluded.checkpoint, metadata = excluded.metadata,
    inline_type = excluded.inline_type, inline_values = excluded.inline_values,
    inline_channels = excluded.inline_channels, run_id = excluded.run_id
  returning c.seq, c.seq = s.last_checkpoint_seq into v_seq, v_is_new;

  if jsonb_array_length(h.channels) > 0 then
    perform pgagent._put_values(h.thread_id, h.checkpoint_ns, h.channels, body);
  end if;
  if (
      coalesce(header -> 'carried', '[]') <> '[]'
      or h.metadata ? 'counters_since_delta_snapshot'
    )
    and not exists (
      -- checkpoints_pkey
      select from pgagent.checkpoints as c
      where c.thread_id = h.thread_id
        and c.checkpoint_ns = h.checkpoint_ns
        and c.checkpoint_id = h.parent_checkpoint_id
    ) then
    perform pgagent._check_carried(
      h.thread_id, h.checkpoint_ns, h.checkpoint_id, header -> 'carried'
    );
  end if;

  if not v_is_new then
    -- The number is given back, and the head is what it was.
    update pgagent.agent_sessions as a
    set
      last_checkpoint_seq = a.last_checkpoint_seq - 1,
      head_checkpoint_id = pgagent._newest(h.thread_id, '')
    where a.thread_id = h.thread_id;
  end if;
  if put_checkpoint.fencing_token is not null and h.checkpoint_ns = ''
    and v_source in ('input', 'loop', 'fork') then
    perform pgagent._note_progress(
      s.active_job_id,
      case when header -> 'leftovers' is distinct from 'true' then h.checkpoint_id end,
      v_step
    );
  end if;
  if header ->> 'history' = 'latest' then
    perform pgagent._prune(h.thread_id, 1, null);
  end if;
  return v_seq;
end
$$;

comment on function pgagent.put_checkpoint(jsonb, bytea, bigint) is
'Stores a checkpoint with its new channel values; returns its number in the thread.';

-- Raises PA008 or PA009 for what a checkpoint's header says beside its values.
create function pgagent._check_checkpoint(header jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgagent._check_object('checkpoint', header -> 'checkpoint', 'checkpoint');
  perform pgagent._check_object('metadata', header -> 'metadata', 'checkpoint');
  if jsonb_typeof(coalesce(header -> 'checkpoint' -> 'channel_versions', '{}')) <> 'object' then
    perform pgagent._raise('PA008', 'channel_versions must be a JSON object');
  end if;
  if jsonb_typeof(coalesce(header -> 'carried', '[]')) <> 'array' then
    perform pgagent._raise('PA008', 'carried must be a JSON array');
  end if;
  if header ->> 'parent_checkpoint_id' is not null then
    perform pgagent._check_name('parent_checkpoint_id', header ->> 'parent_checkpoint_id');
  end if;
end
$$;

comment on function pgagent._check_checkpoint(jsonb) is
'Raises PA008 or PA009 for what a checkpoint''s header says beside its values.';
