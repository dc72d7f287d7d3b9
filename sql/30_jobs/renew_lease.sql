-- Renews the lease of a running job: call it at a third of the lease.
--
-- job_id, fencing_token: the delivery, as claimed.
-- lease:   a new length; the one of the claim by default.
-- Returns: lease_left, the remaining time from now; cancel_requested, whether the run should stop.
-- Locks:   the job alone, so that an open transaction on the thread cannot make a worker lose its
--          lease. In a transaction of several calls another one comes first: they lock the session
--          before the job, and two transactions could deadlock.
--          A lease that ran out may be renewed while nobody has taken it back.
-- Raises:  PA008 bad arguments; PA011 not a service role; PA003 no such job; PA002 the job was
--          given to another worker or ended, or its deadline or step deadline has passed.
-- Safe to repeat: yes.
create function pgagent.renew_lease(
  job_id uuid, fencing_token bigint, lease interval default null
)
returns table (lease_left interval, cancel_requested boolean)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  j pgagent.agent_jobs;
  v_now timestamptz;
begin
  perform pgagent._check_delivery(renew_lease.job_id, renew_lease.fencing_token);
  if renew_lease.lease is not null then
    perform pgagent._check_interval('lease', renew_lease.lease, true);
  end if;

  select b.* into j
  from pgagent.agent_jobs as b
  where b.job_id = renew_lease.job_id
  for no key update of b;
  if not found then
    perform pgagent._raise(
      'PA003', 'no such job', format('job_id: %s', renew_lease.job_id),
      'Its thread may have been deleted: stop this run.'
    );
  end if;
  v_now := pgagent._now();
  if j.status <> 'IN_PROGRESS' or j.fencing_token <> renew_lease.fencing_token then
    perform pgagent._raise_stale(j.thread_id, renew_lease.fencing_token, j.fencing_token);
  end if;
  if least(j.deadline_at, j.step_deadline_at) <= v_now then
    perform pgagent._raise(
      'PA002', 'the deadline of the job, or of its step, has passed',
      format(
        'job_id: %s, deadline: %s, step deadline: %s', j.job_id, j.deadline_at, j.step_deadline_at
      ),
      'Stop this run: its lease is not renewed any more.'
    );
  end if;

  update pgagent.agent_jobs as b
  set
    lease = coalesce(renew_lease.lease, b.lease),
    lease_expires_at = least(
      v_now + coalesce(renew_lease.lease, b.lease), b.deadline_at, b.step_deadline_at
    )
  where b.job_id = renew_lease.job_id
  returning b.lease_expires_at - v_now, b.cancel_requested_at is not null
  into renew_lease.lease_left, renew_lease.cancel_requested;
  return next;
end
$$;

comment on function pgagent.renew_lease(uuid, bigint, interval) is
'Renews the lease of a running job; says how much of it is left and whether to stop.';
