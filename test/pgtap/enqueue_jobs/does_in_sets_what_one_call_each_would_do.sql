begin;
\ir ../_lib.sql
select plan(3);

-- Random batches on five threads, some of which run, wait or are paused, with keys, delays and
-- rejections: once as batches, once as a call each on threads of other names.
select setseed(0.42);
create temporary table given as
select
  n / 40 as batch, n,
  jsonb_strip_nulls(jsonb_build_object(
    'thread_id', (random() * 5)::integer::text, 'payload', (random() * 2)::integer,
    'delay', (random() * 3)::integer * 60, 'priority', (random() * 9)::integer,
    'on_busy', case when random() < 0.2 then 'reject' end,
    'idempotency_key', case when random() < 0.4 then 'k' || (random() * 20)::integer end
  )) as job
from generate_series(0, 399) as n;
create temporary table answers (
  way text, n integer, status text, enqueued boolean, code text
);

create function pg_temp.one(thread text, job jsonb) returns pgagent._new_job
language plpgsql volatile
as $$
declare
  j pgagent._new_job;
begin
  select e.status, e.enqueued into j.status, j.enqueued
  from pgagent.enqueue_job(
    thread, job -> 'payload', delay => (job ->> 'delay')::integer * interval '1 s',
    priority => (job ->> 'priority')::integer, on_busy => coalesce(job ->> 'on_busy', 'enqueue'),
    idempotency_key => job ->> 'idempotency_key'
  ) as e;
  return j;
exception when others then
  j.enqueued := false;
  j.error := jsonb_build_object('code', sqlstate);
  return j;
end
$$;
-- Every other batch later, and after some of the threads went on.
create function pg_temp.drive() returns void
language plpgsql volatile
as $$
declare
  r record;
begin
  for b in 0 .. 9 loop
    insert into answers
    select 'one', g.n, o.status, o.enqueued, o.error ->> 'code'
    from (select * from given where batch = b order by n) as g
    cross join lateral pg_temp.one('one-' || (g.job ->> 'thread_id'), g.job) as o;
    insert into answers
    select 'batch', b * 40 + e.ordinal - 1, e.status, e.enqueued, e.error ->> 'code'
    from pgagent.enqueue_jobs(
      (
        select jsonb_agg(
          g.job || jsonb_build_object('thread_id', 'batch-' || (g.job ->> 'thread_id')) order by n
        )
        from given as g where batch = b
      ), keep_rest => true
    ) as e;
    perform pgagent_test.advance('100 s');
    if b % 3 = 2 then
      for r in select j.* from pgagent.claim_jobs('w1', max_jobs => 50) as j loop
        perform case b
          when 2 then pgagent.complete_job(r.job_id, r.fencing_token)
          when 5 then pgagent.pause_job(r.job_id, r.fencing_token, '{"q": 1}')
        end;
      end loop;
    end if;
  end loop;
end
$$;
select pg_temp.drive();

create function pg_temp.state(way text) returns table (
  thread text, seq bigint, payload jsonb, status text, key text, live boolean
)
language sql volatile
as $$
  select
    replace(j.thread_id, way || '-', ''), j.seq, j.payload, j.status, j.idempotency_key,
    s.active_job_id = j.job_id
  from pgagent.agent_jobs as j join pgagent.agent_sessions as s using (thread_id)
  where j.thread_id like way || '-%'
$$;
select set_eq(
  $$select * from pg_temp.state('batch')$$, $$select * from pg_temp.state('one')$$
);
-- Within a batch a job may be let in and step back again: only where it ended up is told.
select is_empty(
  $$
    select a.n, a.enqueued, a.code, b.enqueued, b.code from answers as a
    join answers as b using (n)
    where a.way = 'one' and b.way = 'batch'
      and (a.enqueued, a.code) is distinct from (b.enqueued, b.code)
  $$
);
select cmp_ok(
  (select count(distinct (status, enqueued, code)) from answers where way = 'batch'), '>=', 5::bigint,
  'and many things happened'
);

select * from finish();
rollback;
