begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 1}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}');
select is((select last_event_seq from pgagent.sessions), 3::bigint);
select pgagent.resume_job(pg_temp.job('t'), '{"r": 1}');

select results_eq(
  'select seq, kind from pgagent.session_events where seq > 3',
  $$values (4::bigint, 'job_resumed' collate "C")$$
);
select is((select status from pgagent.sessions), 'IDLE' collate "C");

select * from finish();
rollback;
