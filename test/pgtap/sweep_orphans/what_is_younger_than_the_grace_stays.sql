-- And so do the items of a version that stays.
begin;
\ir ../_lib.sql
\ir _orphans.sql
select plan(3);

select pg_temp.with_orphans('t');
select pgagent_test.advance('1 hour');
select pg_temp.put_write('t', 'on its way', 'task', 0, 'x');

select results_eq(
  'select versions + items + writes from pgagent.sweep_orphans(dry_run => true)', array[0::bigint]
);
update pgagent.checkpoint_blobs set created_at = pgagent._now() where version = '1';
select results_eq(
  $$select versions, items, writes from pgagent.sweep_orphans('10 min')$$,
  $$values (0::bigint, 0::bigint, 1::bigint)$$
);
select results_eq(
  $$select versions, items, writes from pgagent.sweep_orphans('0')$$,
  $$values (2::bigint, 4::bigint, 1::bigint)$$
);

select * from finish();
rollback;
