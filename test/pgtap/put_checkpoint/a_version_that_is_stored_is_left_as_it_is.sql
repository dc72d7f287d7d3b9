begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put_value('t', 'c1', 'a', '1', 'first');
select pg_temp.put_value('t', 'c2', 'a', '1', 'other');

select results_eq(
  'select blob from pgagent.checkpoint_blobs', array['first'::bytea]
);

select * from finish();
rollback;
