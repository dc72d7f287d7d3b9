-- Sets how long failed jobs of a queue wait for their retries. A job that was enqueued with waits
-- of its own keeps them; null: the settings of those names.
--
-- queue:      the queue.
-- retry_base: wait before the first retry; each further one doubles it.
-- retry_cap:  the longest wait between two retries.
-- Returns:    the two that hold now.
-- Locks:      the row of the queue, which no claim locks.
-- Raises:     PA008, PA009 bad arguments; PA011 not a service role.
-- Safe to repeat.
create function pgagent.delay_queue_retries(
  queue text, retry_base interval default null, retry_cap interval default null
)
returns table (first_wait interval, longest_wait interval)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgagent._require_service();
  perform pgagent._check_name('queue', delay_queue_retries.queue);
  if delay_queue_retries.retry_base is not null then
    perform pgagent._check_interval('retry_base', delay_queue_retries.retry_base, true);
  end if;
  if delay_queue_retries.retry_cap is not null then
    perform pgagent._check_interval('retry_cap', delay_queue_retries.retry_cap, true);
  end if;
  insert into pgagent.queues as q (queue, retry_base, retry_cap)
  values (
    delay_queue_retries.queue, delay_queue_retries.retry_base, delay_queue_retries.retry_cap
  )
  on conflict on constraint queues_pkey do update
  set
    retry_base = excluded.retry_base, retry_cap = excluded.retry_cap,
    updated_at = pgagent._now();
  return query
  select
    coalesce(delay_queue_retries.retry_base, pgagent._setting('retry_base')::interval),
    coalesce(delay_queue_retries.retry_cap, pgagent._setting('retry_cap')::interval);
end
$$;

comment on function pgagent.delay_queue_retries(text, interval, interval) is
'Sets how long failed jobs of a queue wait for their retries (null: the settings); returns what '
'holds.';
