begin;
\ir ../_lib.sql
select plan(3);

select pgagent.limit_queue('q', 3);
select results_eq(
  $$select * from pgagent.delay_queue_retries('q', '2 s')$$,
  $$values ('2 s'::interval, '5 min'::interval)$$
);
select results_eq(
  $$select * from pgagent.delay_queue_retries('q')$$,
  $$values ('1 s'::interval, '5 min'::interval)$$
);
select results_eq(
  'select max_running, retry_base, retry_cap from pgagent.queues',
  $$values (3, null::interval, null::interval)$$
);

select * from finish();
rollback;
