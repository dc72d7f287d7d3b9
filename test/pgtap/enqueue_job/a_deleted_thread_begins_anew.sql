begin;
\ir ../_lib.sql
select plan(2);

select pgagent.enqueue_job('t', '1');
select pgagent.delete_session('t');

select is((select status from pgagent.enqueue_job('t', '2')), 'PENDING');
select results_eq(
  'select status, last_job_seq from pgagent.sessions',
  $$values ('IDLE' collate "C", 2::bigint)$$
);

select * from finish();
rollback;
