-- How readers of history tell of a checkpoint: who made it and when, and none of its values.

-- Checks how many rows are asked for at once.
create function pgagent._check_page(argument text, many integer)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if many is null or many < 1 then
    perform pgagent._raise(
      'PA008', format('%s must be at least 1', argument),
      format('%s: %s', argument, coalesce(many::text, 'null'))
    );
  end if;
  if many > pgagent._limit('batch') then
    perform pgagent._raise(
      'PA009', format('%s is more than %s', argument, pgagent._limit('batch')),
      format('limit: batch, rows: %s', many), 'Ask for the rest page by page.'
    );
  end if;
end
$$;

comment on function pgagent._check_page(text, integer) is
'Raises PA008 unless at least one row is asked for, PA009 when too many are.';

-- The nodes whose tasks a checkpoint ends: those that have seen other versions of channels than in
-- its parent. A node that is sent its tasks (Send) sees none. When nobody has seen anything new,
-- those that never saw any are told.
create function pgagent._nodes(c pgagent.checkpoints, parent pgagent.checkpoints)
returns text[]
language sql
immutable
begin atomic
  select
    coalesce(
      array_agg(n.node order by n.node) filter (where n.seen is distinct from n.seen_before),
      case
        when (c).metadata ->> 'source' = 'loop'
          then array_agg(n.node order by n.node) filter (where n.seen = '{}')
      end,
      '{}'
    )
  from (
    select s.node, s.seen, (parent).checkpoint -> 'versions_seen' -> s.node as seen_before
    from
      jsonb_each(
        case jsonb_typeof((c).checkpoint -> 'versions_seen')
          when 'object' then (c).checkpoint -> 'versions_seen'
        end
      ) as s (node, seen)
    where s.node not in ('__input__', '__interrupt__')
  ) as n;
end;

comment on function pgagent._nodes(pgagent.checkpoints, pgagent.checkpoints) is
'The nodes whose tasks a checkpoint ends, as far as it tells.';

-- What is told of a checkpoint, given its parent, which may be null.
create function pgagent._told(c pgagent.checkpoints, parent pgagent.checkpoints)
returns table (
  thread text, ns text, id text, parent_id text, seq bigint, step integer, source text,
  nodes text[], metadata jsonb, job_id uuid, created_at timestamptz
)
language sql
immutable
begin atomic
  select
    (c).thread_id, (c).checkpoint_ns, (c).checkpoint_id, (c).parent_checkpoint_id, (c).seq,
    pgagent._step_of((c).metadata), (c).metadata ->> 'source', pgagent._nodes(c, parent),
    (c).metadata, (c).job_id, (c).created_at;
end;

comment on function pgagent._told(pgagent.checkpoints, pgagent.checkpoints) is
'What readers of history tell of a checkpoint.';

-- A checkpoint by its id; null without one.
--
-- Asked for as a range, in the order of the key: on empty tables, where plans of the first day are
-- made, two unique indexes look alike, and the other one reads all of the namespace.
create function pgagent._checkpoint(thread_id text, checkpoint_ns text, checkpoint_id text)
returns pgagent.checkpoints
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c pgagent.checkpoints;
begin
  -- checkpoints_pkey
  select x.* into c
  from pgagent.checkpoints as x
  where x.thread_id = _checkpoint.thread_id
    and x.checkpoint_ns = _checkpoint.checkpoint_ns
    and x.checkpoint_id >= _checkpoint.checkpoint_id
    and x.checkpoint_id <= _checkpoint.checkpoint_id
  order by x.checkpoint_id
  limit 1;
  return c;
end
$$;

comment on function pgagent._checkpoint(text, text, text) is 'A checkpoint by its id.';

-- The lowest number from which on everything in a namespace was stored at an instant or later
-- (`is_after`: later). created_at never falls within a thread, so the number is found by halving:
-- 14 look-ups in 10,000 checkpoints, and no index on times. Null without an instant, and in a
-- namespace without checkpoints.
create function pgagent._seq_at(
  thread_id text, checkpoint_ns text, instant timestamptz, is_after boolean
)
returns bigint
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_low bigint;
  v_high bigint;
  v_seq bigint;
  v_time timestamptz;
begin
  if instant is null then
    return null;
  end if;
  -- checkpoints_seq_is_unique, from either end and from the middle
  select x.seq, x.created_at into v_low, v_time
  from pgagent.checkpoints as x
  where x.thread_id = _seq_at.thread_id and x.checkpoint_ns = _seq_at.checkpoint_ns
  order by x.seq
  limit 1;
  if not found or v_time > instant or (v_time = instant and not is_after) then
    return v_low;
  end if;
  select x.seq + 1, x.created_at into v_high, v_time
  from pgagent.checkpoints as x
  where x.thread_id = _seq_at.thread_id and x.checkpoint_ns = _seq_at.checkpoint_ns
  order by x.seq desc
  limit 1;
  if v_time < instant or (v_time = instant and is_after) then
    return v_high;
  end if;
  while v_low < v_high loop
    select x.seq, x.created_at into v_seq, v_time
    from pgagent.checkpoints as x
    where x.thread_id = _seq_at.thread_id
      and x.checkpoint_ns = _seq_at.checkpoint_ns
      and x.seq >= (v_low + v_high) / 2
    order by x.seq
    limit 1;
    if v_time > instant or (v_time = instant and not is_after) then
      v_high := (v_low + v_high) / 2;
    else
      v_low := v_seq + 1;
    end if;
  end loop;
  return v_low;
end
$$;

comment on function pgagent._seq_at(text, text, timestamptz, boolean) is
'The lowest number from which on everything in a namespace was stored at an instant or later.';
