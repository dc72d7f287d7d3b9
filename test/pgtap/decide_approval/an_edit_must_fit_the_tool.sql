begin;
\ir ../_lib.sql
select plan(9);

select pg_temp.pause('t');

select matches(
  pg_temp.refusal(format(
    'select pgagent.decide_approval(pg_temp.approval(''t''), ''edit'', %L)', c.edited
  )),
  '^PA008 .*' || c.said, c.edited
)
from (
  values
  ('{"args": {"amount": "5"}}', 'args.amount must be integer'),
  ('{"args": {"amount": 1.5}}', 'args.amount must be integer'),
  ('{"args": {"amount": 101}}', 'maximum is 100'),
  ('{"args": {}}', 'args.amount is required'),
  ('{"args": {"amount": 1, "to": "x"}}', 'args.to is not allowed'),
  ('{"args": []}', 'args, an object'),
  ('{"amount": 1}', 'args, an object'),
  ('{"name": "mail", "args": {"amount": 1}}', 'another tool')
) as c (edited, said);
select is((select status from pgagent.approvals), 'PENDING' collate "C", 'nothing was decided');

select * from finish();
rollback;
