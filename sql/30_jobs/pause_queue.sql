-- Pauses a queue: nothing is claimed from it until resume_queue. Runs that were claimed go on; jobs
-- may be enqueued, and begun by start_run.
--
-- queue:     the queue.
-- paused_by: who; the calling role by default.
-- Returns:   since when it is paused.
-- Locks:     the row of the queue, which no claim locks.
-- Raises:    PA008, PA009 bad arguments; PA011 not a service role.
-- Safe to repeat: the first pause stands.
create function pgagent.pause_queue(queue text, paused_by text default null)
returns timestamptz
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_by text := coalesce(pause_queue.paused_by, pgagent._caller());
  v_paused_at timestamptz;
begin
  perform pgagent._require_service();
  perform pgagent._check_name('queue', pause_queue.queue);
  perform pgagent._check_name('paused_by', v_by);
  insert into pgagent.queues as q (queue, paused_at, paused_by)
  values (pause_queue.queue, pgagent._now(), v_by)
  on conflict on constraint queues_pkey do update
  set
    paused_at = coalesce(q.paused_at, excluded.paused_at),
    paused_by = coalesce(q.paused_by, excluded.paused_by),
    updated_at = pgagent._now()
  returning q.paused_at into v_paused_at;
  return v_paused_at;
end
$$;

comment on function pgagent.pause_queue(text, text) is
'Stops claims from a queue until resume_queue; returns since when it is paused.';
