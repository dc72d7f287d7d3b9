begin;
\ir ../_lib.sql
select plan(8);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 40) as n;
select pg_temp.put('t', 's1', ns => 'sub');
-- Gaps in the numbers, pairs of one time, an hour for each pair.
delete from pgagent.checkpoints where seq % 5 = 0;
update pgagent.checkpoints set created_at = '2025-01-01'::timestamptz + (seq / 2) * interval '1 hour';
create function pg_temp.at(as_of timestamptz, ns text default '') returns text
language sql volatile
as $$select a.id from pgagent.checkpoint_at('t', as_of, ns) as a$$;

select is_empty(
  $$
    select c.seq
    from pgagent.checkpoints as c
    where c.checkpoint_ns = ''
      and pg_temp.at(c.created_at) is distinct from (
        select x.checkpoint_id::text from pgagent.checkpoints as x
        where x.checkpoint_ns = '' and x.created_at <= c.created_at order by x.seq desc limit 1
      )
  $$, 'at the time of each'
);
select is_empty(
  $$
    select c.seq
    from pgagent.checkpoints as c
    where c.checkpoint_ns = ''
      and pg_temp.at(c.created_at - interval '1 us') is distinct from (
        select x.checkpoint_id::text from pgagent.checkpoints as x
        where x.checkpoint_ns = '' and x.created_at < c.created_at order by x.seq desc limit 1
      )
  $$, 'and just before'
);
select is(pg_temp.at('2024-12-31'), null, 'before the first');
select is(pg_temp.at('2030-01-01'), 'c39', 'after the last');
select is(pg_temp.at('infinity'), 'c39');
select is(pg_temp.at('-infinity'), null);
select is(pg_temp.at('2030-01-01', 'sub'), 's1', 'per namespace');
select is(
  (select a.parent_id || a.step from pgagent.checkpoint_at('t', '2025-01-01 06:30') as a), 'c1213',
  'told like any'
);

select * from finish();
rollback;
