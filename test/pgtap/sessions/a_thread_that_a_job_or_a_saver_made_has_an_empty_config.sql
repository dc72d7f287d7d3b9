begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '1');
select pg_temp.put('u', 'c1');

select results_eq(
  'select config, metadata from pgagent.sessions',
  $$values ('{}'::jsonb, '{}'::jsonb), ('{}', '{}')$$
);

select * from finish();
rollback;
