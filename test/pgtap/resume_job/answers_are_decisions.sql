begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.pause_job(
  pg_temp.job('t'), 1, jsonb_build_object('q', pg_temp.review('pay', 'mail'), 'r', 'sure?')
);
select pgagent.resume_job(pg_temp.job('t'), '{
  "q": {"decisions": [
    {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 5}}},
    {"type": "reject", "message": "no"}
  ]},
  "r": {"sure": true}
}');

select set_eq(
  'select status::text, edited_action -> $$args$$, reason, response from pgagent.approvals',
  $$
    values
    ('EDITED', '{"amount": 5}'::jsonb, null, null::jsonb),
    ('REJECTED', null, 'no', null),
    ('RESPONDED', null, null, '{"sure": true}')
  $$
);
select is(pg_temp.status_of('t'), 'PENDING');

select * from finish();
rollback;
