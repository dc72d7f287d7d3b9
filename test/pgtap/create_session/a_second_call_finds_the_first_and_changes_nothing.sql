begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice', '{"model": "m"}', '{"title": "first"}');

select results_eq(
  $$
    select thread, created
    from pgagent.create_session('t', 'alice', '{"model": "n"}', '{"title": "second"}')
  $$,
  $$values ('t', false)$$
);
select results_eq(
  $$select config, metadata from pgagent.sessions$$,
  $$values ('{"model": "m"}'::jsonb, '{"title": "first"}'::jsonb)$$
);

select * from finish();
rollback;
