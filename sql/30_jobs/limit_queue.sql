-- Sets how many jobs of a queue may run at once, in all and for one owner of threads. Jobs of
-- threads without an owner count in all alone.
--
-- queue:                the queue.
-- max_running:          in all, 1 to 1,000; null: no limit.
-- max_running_per_user: for one owner, 1 to 1,000; null: no limit.
-- Returns: how many of its jobs run now. They count: when a limit is lowered below them, nothing is
--          claimed until those above it have ended.
-- Exact:   claims that began after this was committed never exceed it, whatever runs at once; a
--          claim that was under way is not stopped and not counted. Runs begun by start_run are
--          not held back and, but for those that this call finds, not counted.
-- Locks:   the row of the queue, then its places; waits for claims that have taken one.
-- Raises:  PA008, PA009 bad arguments; PA011 not a service role.
-- Safe to repeat.
create function pgagent.limit_queue(
  queue text, max_running integer default null, max_running_per_user integer default null
)
returns bigint
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_running bigint;
begin
  perform pgagent._require_service();
  perform pgagent._check_name('queue', limit_queue.queue);
  perform pgagent._check_places('max_running', limit_queue.max_running);
  perform pgagent._check_places('max_running_per_user', limit_queue.max_running_per_user);
  insert into pgagent.queues as q (queue, max_running, max_running_per_user)
  values (limit_queue.queue, limit_queue.max_running, limit_queue.max_running_per_user)
  on conflict on constraint queues_pkey do update
  set
    max_running = excluded.max_running,
    max_running_per_user = excluded.max_running_per_user,
    updated_at = pgagent._now();

  delete from pgagent.queue_slots as t where t.queue = limit_queue.queue;
  with running as (
    select j.job_id, j.fencing_token, s.user_id
    from pgagent.agent_jobs as j
    join pgagent.agent_sessions as s on s.thread_id = j.thread_id
    where j.queue = limit_queue.queue and j.status = 'IN_PROGRESS'
  ),
  placed as (
    insert into pgagent.queue_slots (queue, user_id, slot, job_id, fencing_token)
    select
      limit_queue.queue, k.place_of, row_number() over (partition by k.place_of order by r.job_id),
      r.job_id, r.fencing_token
    from running as r
    cross join lateral (
      values
      ('', limit_queue.max_running),
      (r.user_id, limit_queue.max_running_per_user)
    ) as k (place_of, places)
    where k.places is not null and k.place_of is not null
  )
  select count(*) into v_running from running;
  insert into pgagent.queue_slots (queue, user_id, slot)
  select limit_queue.queue, '', n from generate_series(1, limit_queue.max_running) as n
  on conflict on constraint queue_slots_pkey do nothing;
  return v_running;
end
$$;

comment on function pgagent.limit_queue(text, integer, integer) is
'Sets how many jobs of a queue may run at once, in all and per owner; returns how many run now.';

create function pgagent._check_places(argument text, places integer)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if places < 1 then
    perform pgagent._raise(
      'PA008', format('%s must be at least 1', argument), format('%s: %s', argument, places),
      'pause_queue stops a queue; null is no limit.'
    );
  end if;
  if places > pgagent._limit('running') then
    perform pgagent._raise(
      'PA009', format('%s must be at most %s', argument, pgagent._limit('running')),
      format('limit: running, %s: %s', argument, places), 'See pgagent.limits; null is no limit.'
    );
  end if;
end
$$;

comment on function pgagent._check_places(text, integer) is
'Raises PA008 when a limit of running jobs is below 1, PA009 when it is too large.';
