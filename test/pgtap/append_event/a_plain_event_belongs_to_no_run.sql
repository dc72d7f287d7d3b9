begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_event('t', 'x');

select results_eq(
  'select job_id, attempt, trace_id from pgagent.session_events',
  $$values (null::uuid, null::integer, null::text collate "C")$$
);

select * from finish();
rollback;
