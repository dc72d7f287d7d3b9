begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 1}');
select last_event_seq as paused from pgagent.sessions \gset
select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}');
select results_eq(
  format('select kind from pgagent.session_events where seq > %s', :paused),
  $$values ('approval_decided' collate "C")$$
);
select pgagent.resume_job(pg_temp.job('t'), '{"r": 1}');

select results_eq(
  format('select kind from pgagent.session_events where seq > %s + 1 order by seq', :paused),
  $$values ('approval_decided' collate "C"), ('job_resumed')$$
);
select is((select status from pgagent.sessions), 'IDLE' collate "C");

select * from finish();
rollback;
