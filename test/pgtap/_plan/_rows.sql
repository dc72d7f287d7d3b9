-- What the plan tests share: a hundred thousand rows beside those that a call needs, and what the
-- call reads then. Each test makes its first call on empty tables, so that plans are as old as
-- those of a worker that was started on the first day; the truncation is rolled back as well.
\ir ../_lib.sql
truncate pgagent.agent_sessions cascade;

-- Shared buffers that a call touches, whatever it does inside.
create function pg_temp.buffers(call text) returns bigint
language plpgsql volatile
as $$
declare
  v_plan jsonb;
begin
  execute 'explain (analyze, buffers, timing off, summary off, format json) ' || call into v_plan;
  return (v_plan #> '{0,Plan,Shared Hit Blocks}')::bigint
    + (v_plan #> '{0,Plan,Shared Read Blocks}')::bigint;
end
$$;

-- Rows that a call reads by sequential scans of our tables, and entries that it reads from their
-- indexes.
create function pg_temp.rows_read(call text) returns bigint
language plpgsql volatile
as $$
declare
  v_before bigint := pg_temp.rows_read();
begin
  execute 'explain (analyze, costs off) ' || call;
  return pg_temp.rows_read() - v_before;
end
$$;
create function pg_temp.rows_read() returns bigint
language sql volatile security definer
as $$
  select sum(pg_stat_get_xact_tuples_returned(c.oid))::bigint
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'i')
$$;

-- A job of each.
create function pg_temp.many_jobs(
  status text, priority integer default 0, due interval default '-1 hour'
) returns void
language sql volatile set session_replication_role = replica
as $$
  insert into pgagent.agent_jobs (
    job_id, thread_id, seq, queue, payload, status, priority, available_at, completed_at,
    lease_owner, lease_expires_at, lease, fencing_token, claimed_at, started_at
  )
  select
    gen_random_uuid(), 'thread-' || n, 1, 'default', '{}', s.status, priority,
    now() + due + n * interval '1 ms', case when s.status = 'COMPLETED' then now() end,
    case when s.running then 'w1' end, case when s.running then now() + interval '1 day' end,
    case when s.running then interval '1 day' end, 1, case when s.running then now() end, now()
  from generate_series(1, 100000) as n
  cross join (
    select many_jobs.status, many_jobs.status = 'IN_PROGRESS' as running
  ) as s
$$;

-- A hundred thousand threads, a thousand of each owner; after their jobs.
create function pg_temp.many_sessions() returns void
language sql volatile set session_replication_role = replica
as $$
  insert into pgagent.agent_sessions (
    thread_id, user_id, status, active_job_id, fencing_token, owner_token
  )
  select
    'thread-' || n, 'user-' || n % 100,
    case when j.status = 'IN_PROGRESS' then 'RUNNING' else 'IDLE' end, j.job_id, 1,
    case when j.status = 'IN_PROGRESS' then 1 end
  from generate_series(1, 100000) as n
  left join pgagent.agent_jobs as j
    on j.thread_id = 'thread-' || n and j.status in ('PENDING', 'IN_PROGRESS')
$$;

-- Half of them in one thread, t.
create function pg_temp.thread_of(n integer) returns text
language sql immutable
as $$select case when n <= 50000 then 't' else 'thread-' || n end$$;

create function pg_temp.many_checkpoints() returns void
language sql volatile set session_replication_role = replica
as $$
  insert into pgagent.checkpoints (
    thread_id, checkpoint_ns, checkpoint_id, seq, checkpoint, metadata, created_at
  )
  select
    pg_temp.thread_of(n), '', 'c' || n, n + 100, '{"channel_versions": {"a": "1"}}',
    '{"source": "loop", "step": 1}', now()
  from generate_series(1, 100000) as n;
  update pgagent.agent_sessions set last_checkpoint_seq = 200000
  where thread_id = 't';
$$;

create function pg_temp.many_writes() returns void
language sql volatile set session_replication_role = replica
as $$
  insert into pgagent.checkpoint_writes (
    thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob
  )
  select pg_temp.thread_of(n), '', 'c' || n, 'task', 0, 'c', 'text', 'x'
  from generate_series(1, 100000) as n
$$;

create function pg_temp.many_messages() returns void
language sql volatile set session_replication_role = replica
as $$
  insert into pgagent.session_messages (thread_id, seq, role, content, idempotency_key, fingerprint)
  select pg_temp.thread_of(n), n + 100, 'user', '"x"', 'k' || n, 'x'
  from generate_series(1, 100000) as n;
  insert into pgagent.session_events (thread_id, seq, kind)
  select pg_temp.thread_of(n), n + 100, 'x'
  from generate_series(1, 100000) as n;
  update pgagent.agent_sessions set last_message_seq = 200000, last_event_seq = 200000
  where thread_id = 't';
$$;

-- Jobs that are due, each on a thread of its own.
create function pg_temp.jobs(many integer) returns void
language sql volatile
as $$
  select pgagent.enqueue_job('new-' || n || clock_timestamp(), '{}')
  from generate_series(1, many) as n
$$;

-- What a claim costs.
create function pg_temp.claim() returns bigint
language sql volatile
as $$select pg_temp.buffers('select * from pgagent.claim_job(''w1'')')$$;
