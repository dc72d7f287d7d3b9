begin;
\ir ../_lib.sql
select plan(7);

select pgagent.create_session('t');

select throws_ok(
  format('select pgagent.append_messages(''t'', %L)', b.batch), b.code, null, left(b.batch, 40)
)
from (
  values
  (null, 'PA008'), ('{}', 'PA008'), ('[]', 'PA008'), ('"x"', 'PA008'), ('[1]', 'PA008'),
  ('[{"role": "user", "content": 1}, null]', 'PA008'),
  (
    (
      select jsonb_agg('{"role": "user", "content": 1}'::jsonb)::text
      from generate_series(0, 10000)
    ), 'PA009'
  )
) as b (batch, code);

select * from finish();
rollback;
