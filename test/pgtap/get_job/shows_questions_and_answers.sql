begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1, "r": 2}');
select pgagent.resume_job(pg_temp.job('t'), '{"q": "yes"}');

select results_eq(
  $$select waiting_for, answers from pgagent.get_job(pg_temp.job('t'))$$,
  $$values ('{"q": 1, "r": 2}'::jsonb, '{"q": "yes"}'::jsonb)$$
);

select * from finish();
rollback;
