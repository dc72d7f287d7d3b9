begin;
\ir ../_lib.sql
select plan(1);

select results_eq(
  $$
    select e.status from unnest('{enqueue,reject,interrupt,rollback}'::text[]) as w (how)
    cross join lateral pgagent.enqueue_job(w.how, '1', on_busy => w.how) as e
  $$,
  array['PENDING', 'PENDING', 'PENDING', 'PENDING']
);

select * from finish();
rollback;
