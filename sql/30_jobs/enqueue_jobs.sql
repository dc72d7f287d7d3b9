-- Enqueues up to 10,000 runs, on any number of threads, as enqueue_job does one.
--
-- jobs:      JSON array of objects with the arguments of enqueue_job: thread_id, payload and, as
--            wanted, queue, priority, delay, config, idempotency_key, max_attempts, timeout,
--            step_timeout, on_busy (enqueue or reject), trace_id, traceparent, retry_base,
--            retry_cap. Times are seconds, or intervals as text. Null is as if left out, but for
--            payload.
-- keep_rest: what a bad element means. False: the first of them is raised and named, counted from
--            0, and nothing is enqueued. True: the others are enqueued, and its row tells why it
--            was not.
-- Returns:   a row an element, in order: its position in the batch from 1, the job, its status,
--            whether this call enqueued it (a known key is answered); or error: code, message,
--            detail and hint, as enqueue_job would raise it.
-- Locks:     the sessions, in the order of their ids, 1,000 at a time; then live jobs that are to
--            step back.
-- Raises:    PA008 no array; PA009 too many elements; PA011 a tenant that names nobody; what
--            enqueue_job raises, unless the rest is kept.
-- Never fenced. Safe to repeat where the elements have keys.
create function pgagent.enqueue_jobs(jobs jsonb, keep_rest boolean default false)
returns table (ordinal bigint, job_id uuid, status text, enqueued boolean, error jsonb)
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if keep_rest is null then
    perform pgagent._raise('PA008', 'keep_rest must be true or false');
  end if;
  perform pgagent._check_array('jobs', jobs);
  if not pgagent._is_service() and pgagent._tenant() is null then
    perform pgagent._raise(
      'PA011', 'a tenant can only make threads of its own', '',
      'Set pgagent.user_id inside the transaction.'
    );
  end if;
  return query
  select e.ordinal, e.job_id, e.status, coalesce(e.enqueued, false), e.error
  from pgagent._enqueue_batch(jobs, keep_rest) as e
  order by e.ordinal;
end
$$;

comment on function pgagent.enqueue_jobs(jsonb, boolean) is
'Enqueues up to 10,000 runs at once, each answered in a row of its own.';

-- The body of enqueue_jobs, without the order of its answers.
create function pgagent._enqueue_batch(jobs jsonb, keep_rest boolean)
returns setof pgagent._new_job
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_all pgagent._new_job[];
  v_part pgagent._new_job[];
begin
  select array_agg(pgagent._read_job(e.element, e.ordinal) order by e.ordinal) into v_all
  from jsonb_array_elements(jobs) with ordinality as e (element, ordinal);
  if not keep_rest then
    perform pgagent._raise_first(v_all);
  end if;
  return query select j.* from unnest(v_all) as j where j.error is not null;

  for v_part in
    select array_agg(g.job order by (g.job).ordinal)
    from (
      select
        row(j.*)::pgagent._new_job as job,
        (dense_rank() over (order by j.thread_id collate "C") - 1) / 1000 as part
      from unnest(v_all) as j
      where j.error is null
    ) as g
    group by g.part
    order by g.part
  loop
    v_part := pgagent._enqueue_part(v_part);
    if not keep_rest then
      perform pgagent._raise_first(v_part);
    end if;
    return query select j.* from unnest(v_part) as j;
  end loop;
end
$$;

comment on function pgagent._enqueue_batch(jsonb, boolean) is
'Enqueues a batch, a thousand threads at a time.';

create function pgagent._raise_first(jobs pgagent._new_job[])
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  j pgagent._new_job;
begin
  select * into j from unnest(jobs) as b where b.error is not null order by b.ordinal limit 1;
  if found then
    perform pgagent._raise_error(j.error, format('jobs[%s]: ', j.ordinal - 1));
  end if;
end
$$;

comment on function pgagent._raise_first(pgagent._new_job[]) is
'Raises the error of the first element that has one.';
