begin;
\ir ../_lib.sql
\ir _orphans.sql
select plan(4);

select pg_temp.with_orphans(id) from unnest(array['a', 'B', 'c', 'd', 'e']) as t (id);
select pgagent_test.advance('2 days');

-- A machine that is busy may stop after one thread: then the next call begins there.
create function pg_temp.sweep(size integer, behind text default null) returns text
language plpgsql as $$
declare
  r record;
begin
  for n in 1 .. size loop
    select * into r from pgagent.sweep_orphans(max_threads => 1, after_thread => behind);
    behind := r.last_thread_id;
  end loop;
  return behind;
end
$$;

select is(pg_temp.sweep(2), 'a', 'by bytes');
select is(
  (select array_agg(x.id order by x.id) from unnest(array['a', 'B', 'c', 'd', 'e']) as x (id)
    where pg_temp.left_of(x.id) = array[2, 3, 1]::bigint[]),
  array['B', 'a'] collate "C"
);
select is(pg_temp.sweep(3, 'a'), 'e');
select results_eq(
  $$select threads, last_thread_id from pgagent.sweep_orphans(after_thread => 'e')$$,
  $$values (0::bigint, null::text)$$
);

select * from finish();
rollback;
