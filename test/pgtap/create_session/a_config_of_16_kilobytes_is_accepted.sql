begin;
\ir ../_lib.sql
select plan(2);

select lives_ok(
  $$select pgagent.create_session('t', config => jsonb_build_object('x', repeat('x', 16200)))$$
);
select is((select length(config ->> 'x') from pgagent.sessions), 16200);

select * from finish();
rollback;
