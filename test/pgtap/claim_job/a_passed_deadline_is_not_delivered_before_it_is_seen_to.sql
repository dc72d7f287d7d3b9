-- A claim that does not look from the start leaves the job alone.
begin;
\ir ../_lib.sql
select plan(2);

select pgagent.start_run('t', 'w1', timeout => '1 hour');
select pgagent.release_job(job_id, 1) from pgagent.agent_jobs;
select pgagent_test.advance('61 min');
-- As if this backend had looked a moment ago.
select set_config(
  'pgagent._claims',
  format(
    '%s=0,0,0,0,0,0,0,0,0,0,%s,0;', hashtextextended('default', 0),
    (extract(epoch from pgagent._now()) * 1000000)::bigint
  ), false
);

select is(pg_temp.next(), null);
select is(pg_temp.status_of('t'), 'PENDING', 'not yet');

select * from finish();
rollback;
