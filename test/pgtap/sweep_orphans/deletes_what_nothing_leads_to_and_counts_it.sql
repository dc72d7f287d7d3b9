begin;
\ir ../_lib.sql
\ir _orphans.sql
select plan(4);

select pg_temp.with_orphans('t');
select pgagent_test.advance('2 days');

select results_eq(
  $$
    select versions, items, writes, version_bytes > 0, item_bytes > 0, write_bytes > 0, threads,
      skipped, last_thread_id
    from pgagent.sweep_orphans()
  $$,
  $$values (2::bigint, 4::bigint, 1::bigint, true, true, true, 1::bigint, 0::bigint, null::text)$$
);
select is(pg_temp.left_of('t'), array[2, 3, 1]::bigint[], 'what is needed stays');
select is(
  (
    select string_agg(convert_from(blob, 'UTF8'), ' ' order by channel, kind, idx)
    from pgagent.get_checkpoint('t')
    where kind in ('value', 'write')
  ),
  'new w', 'and reads as before'
);
select results_eq(
  'select versions + items + writes from pgagent.sweep_orphans()', array[0::bigint], 'once'
);

select * from finish();
rollback;
