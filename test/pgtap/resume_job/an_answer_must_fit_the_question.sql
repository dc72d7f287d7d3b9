begin;
\ir ../_lib.sql
select plan(13);

select pg_temp.run('t');
select pgagent.pause_job(
  pg_temp.job('t'), 1,
  jsonb_build_object('q', pg_temp.review('pay'), 'breakpoint:c1', '{"before": ["a"]}')
);

select throws_ok(
  format('select pgagent.resume_job(pg_temp.job(''t''), %L)', c.answers), 'PA008', null, c.answers
)
from (
  values
  ('{"q": "yes"}'), ('{"q": true}'), ('{"q": {"decisions": []}}'), ('{"q": {"decisions": {}}}'),
  ('{"q": {"decisions": [{"type": "accept"}]}}'), ('{"q": {"decisions": ["approve"]}}'),
  ('{"q": {"decisions": [{"type": "approve"}, {"type": "approve"}]}}'),
  ('{"q": {"decisions": [{"type": "edit", "edited_action": {"args": {"amount": "x"}}}]}}'),
  ('{"q": {"decisions": [{"type": "respond"}]}}'),
  ('{"breakpoint:c1": false}'), ('{"breakpoint:c1": null}')
) as c (answers);
select is((select resume from pgagent.agent_jobs), null);
select is((select count(*) from pgagent.pending_approvals), 2::bigint);

select * from finish();
rollback;
