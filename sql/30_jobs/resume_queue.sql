-- Ends the pause of a queue.
--
-- queue:   the queue.
-- Returns: whether it was paused.
-- Locks:   the row of the queue.
-- Raises:  PA008, PA009 bad queue; PA011 not a service role.
-- Safe to repeat.
create function pgagent.resume_queue(queue text)
returns boolean
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgagent._require_service();
  perform pgagent._check_name('queue', resume_queue.queue);
  update pgagent.queues as q
  set paused_at = null, paused_by = null, updated_at = pgagent._now()
  where q.queue = resume_queue.queue and q.paused_at is not null;
  return found;
end
$$;

comment on function pgagent.resume_queue(text) is
'Lets claims from a paused queue go on; returns whether it was paused.';
