begin;
\ir ../_lib.sql
select plan(9);

select alike(
  pg_temp.refusal(format('select pgagent.session_timeline(''t'', %L)', after)), 'PA008 after is no %'
)
from unnest(
  array[
    '1', '[]', '{"event": -1}', '{"message": "x"}', '{"checkpoint": 1.5}',
    '{"event": 99999999999999999999}', '{"tool_call": 5}', '{"approval": "x"}'
  ]
) as after;
select alike(
  pg_temp.refusal($$select pgagent.session_timeline('t', kinds => '{event,thing}')$$),
  'PA008 kinds must be %'
);

select * from finish();
rollback;
