begin;
\ir ../_lib.sql
select plan(3);

create temporary table answers as
select * from pgagent.enqueue_jobs((
  select jsonb_agg(jsonb_build_object('thread_id', 't' || n, 'payload', n))
  from generate_series(1, 2500) as n
));
select is((select count(*) from answers where status = 'PENDING'), 2500::bigint);
select is_empty(
  $$
    select from answers as a join pgagent.agent_jobs as j using (job_id)
    where j.payload <> to_jsonb(a.ordinal)
  $$, 'each answer is that of its element'
);
select is((select count(distinct right(job_id::text, 17)) from answers), 2500::bigint);

select * from finish();
rollback;
