begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.cancel_job(pg_temp.job('t'), 'no longer needed', 'alice');
select pgagent.complete_job(pg_temp.job('t'), 1);

select results_eq(
  $$
    select status, cancelled_by, cancel_reason, completed_at >= cancel_requested_at
    from pgagent.get_job(pg_temp.job('t'))
  $$,
  $$values ('CANCELLED', 'alice', 'no longer needed', true)$$
);

select * from finish();
rollback;
