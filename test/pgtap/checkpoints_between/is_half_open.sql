-- The first instant counts, the last does not: the ranges of a day follow each other without a gap.
begin;
\ir ../_lib.sql
select plan(8);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 40) as n;
select pg_temp.put('t', 's1', ns => 'sub');
delete from pgagent.checkpoints where seq % 5 = 0;
update pgagent.checkpoints set created_at = '2025-01-01'::timestamptz + (seq / 2) * interval '1 hour';
create function pg_temp.ids(since timestamptz, until timestamptz, newest boolean default false)
returns text
language sql volatile
as $$
  select string_agg(b.id, ' ' order by b.n)
  from rows from (
    pgagent.checkpoints_between('t', since, until, newest_first => newest)
  ) with ordinality as b (
    thread, ns, id, parent_id, seq, step, source, nodes, metadata, job_id, created_at, passed_by,
    is_deliberate, n
  )
$$;

select is(pg_temp.ids('2025-01-01 03:00', '2025-01-01 05:00'), 'c6 c7 c8 c9');
select is(pg_temp.ids('2025-01-01 03:00:01', '2025-01-01 05:00:01'), 'c8 c9 c11');
select is(pg_temp.ids('2025-01-01 03:00', '2025-01-01 05:00', true), 'c9 c8 c7 c6', 'backwards');
select is(pg_temp.ids('2025-01-01 03:00', '2025-01-01 03:00'), null);
select is(pg_temp.ids(null, '2025-01-01 02:00'), 'c1 c2 c3', 'from the beginning');
select is(pg_temp.ids('2025-01-01 19:00', null, true), 'c39 c38', 'to the end');
select is_empty(
  $$
    select a.n, b.n
    from generate_series(-1, 42) as a (n)
    cross join generate_series(-1, 42) as b (n)
    cross join unnest('{t,f}'::boolean[]) as newest
    where a.n <= b.n
      and coalesce(
        pg_temp.ids(
          '2025-01-01'::timestamptz + a.n * interval '30 min', '2025-01-01'::timestamptz + b.n * interval '30 min', newest
        ), ''
      ) <> coalesce(
        (
          select string_agg(
            x.checkpoint_id, ' ' order by case when newest then -x.seq else x.seq end
          )
          from pgagent.checkpoints as x
          where x.checkpoint_ns = ''
            and x.created_at >= '2025-01-01'::timestamptz + a.n * interval '30 min'
            and x.created_at < '2025-01-01'::timestamptz + b.n * interval '30 min'
        ), ''
      )
  $$, 'whatever the range'
);
select is(
  (select string_agg(b.id, ' ') from pgagent.checkpoints_between('t', null, null, 'sub') as b),
  's1', 'per namespace'
);

select * from finish();
rollback;
