-- How full each queue is. Counts stop at max_count, so that a look costs the same whatever is in
-- the table: a column that shows max_count means "so many or more".
--
-- max_count: where counting stops, for each queue and column.
-- Returns:   one row a queue that has a job which is not over:
--            ready           due, and claimable
--            delayed         PENDING, not due yet
--            running         IN_PROGRESS, of the max_count leases that end first in all queues
--            expired         of these, the lease ran out: the next claim takes them back
--            waiting         behind another job of their thread
--            awaiting_human  paused
--            oldest_due      how long the job that has been due longest has waited
-- Reads under row security; locks nothing. Entries of partial indexes that hold live jobs alone:
-- agent_jobs_ready (one range a queue and priority), agent_jobs_expiring, agent_jobs_standing. The
-- number of jobs that have ended does not matter.
-- Raises:    PA008 max_count below 1.
create function pgagent.queue_stats(max_count integer default 10000)
returns table (
  queue text, ready bigint, delayed bigint, running bigint, expired bigint, waiting bigint,
  awaiting_human bigint, oldest_due interval
)
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := pgagent._now();
begin
  if (queue_stats.max_count >= 1) is not true then
    perform pgagent._raise(
      'PA008', 'max_count must be at least 1',
      format('max_count: %s', coalesce(queue_stats.max_count::text, 'null'))
    );
  end if;
  return query
  with recursive ready_queue as (
    -- One descent a queue, not one entry a job.
    (
      select j.queue
      from pgagent.agent_jobs as j
      where j.status = 'PENDING'
      order by j.queue
      limit 1
    )
    union all
    select (
      select j.queue
      from pgagent.agent_jobs as j
      where j.status = 'PENDING' and j.queue > r.queue
      order by j.queue
      limit 1
    )
    from ready_queue as r
    where r.queue is not null
  ),
  standing_queue as (
    (
      select j.queue
      from pgagent.agent_jobs as j
      where j.status in ('WAITING', 'AWAITING_HUMAN')
      order by j.queue
      limit 1
    )
    union all
    select (
      select j.queue
      from pgagent.agent_jobs as j
      where j.status in ('WAITING', 'AWAITING_HUMAN') and j.queue > r.queue
      order by j.queue
      limit 1
    )
    from standing_queue as r
    where r.queue is not null
  ),
  leased as (
    select l.queue, count(*) as running, count(*) filter (where l.ends <= v_now) as expired
    from (
      select j.queue, j.lease_expires_at as ends
      from pgagent.agent_jobs as j
      where j.status = 'IN_PROGRESS'
        and coalesce(j.lease_expires_at, j.deadline_at) is not null
        and j.completed_at is null
      order by coalesce(j.lease_expires_at, j.deadline_at)
      limit queue_stats.max_count
    ) as l
    group by l.queue
  ),
  every as (
    select r.queue from ready_queue as r where r.queue is not null
    union
    select r.queue from standing_queue as r where r.queue is not null
    union
    select l.queue from leased as l
  )
  select
    q.queue, r.jobs, d.jobs, coalesce(l.running, 0), coalesce(l.expired, 0), w.jobs, h.jobs,
    v_now - o.available_at
  from every as q
  left join leased as l on l.queue = q.queue
  cross join lateral (
    select count(*) as jobs
    from (
      select
      from generate_series(0, 9) as p (priority)
      cross join lateral (
        select
        from pgagent.agent_jobs as j
        where j.status = 'PENDING' and j.queue = q.queue and j.priority = p.priority
          and j.available_at <= v_now
        limit queue_stats.max_count
      ) as one
      limit queue_stats.max_count
    ) as bounded
  ) as r
  cross join lateral (
    select count(*) as jobs
    from (
      select
      from generate_series(0, 9) as p (priority)
      cross join lateral (
        select
        from pgagent.agent_jobs as j
        where j.status = 'PENDING' and j.queue = q.queue and j.priority = p.priority
          and j.available_at > v_now
        limit queue_stats.max_count
      ) as one
      limit queue_stats.max_count
    ) as bounded
  ) as d
  cross join lateral (
    select min(first.available_at) as available_at
    from generate_series(0, 9) as p (priority)
    cross join lateral (
      select j.available_at
      from pgagent.agent_jobs as j
      where j.status = 'PENDING' and j.queue = q.queue and j.priority = p.priority
        and j.available_at <= v_now
      order by j.available_at
      limit 1
    ) as first
  ) as o
  cross join lateral (
    select count(*) as jobs
    from (
      select
      from pgagent.agent_jobs as j
      where j.status = 'WAITING' and j.queue = q.queue
      limit queue_stats.max_count
    ) as bounded
  ) as w
  cross join lateral (
    select count(*) as jobs
    from (
      select
      from pgagent.agent_jobs as j
      where j.status = 'AWAITING_HUMAN' and j.queue = q.queue
      limit queue_stats.max_count
    ) as bounded
  ) as h
  order by q.queue;
end
$$;

comment on function pgagent.queue_stats(integer) is
'How many jobs of each queue are ready, delayed, running, waiting or paused, up to a bound.';
