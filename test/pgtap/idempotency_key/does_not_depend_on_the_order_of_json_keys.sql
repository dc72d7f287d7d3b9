begin;
\ir ../_lib.sql
select plan(1);

select is(
  pgagent.idempotency_key('d', '{"b": 1, "a": [1, 2]}'::jsonb::text),
  pgagent.idempotency_key('d', '{"a":[1,2],"b":1}'::jsonb::text)
);

select * from finish();
rollback;
