-- pg_temp.calls names the least kind of role; the kinds form a line but for the reader.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(1);

select set_eq(
  $$
    select p.proname::text, k.kind
    from pgagent.privileges as r
    join pg_proc as p on p.oid = r.routine
    cross join unnest(r.kinds) as k (kind)
    where p.prosecdef and p.proname not like '\_%'
  $$,
  $$
    select c.routine, k.kind
    from pg_temp.calls('t', 1) as c
    cross join unnest('{tenant,worker,admin}'::text[]) as k (kind)
    where array_position('{tenant,worker,admin}', c.kind)
      <= array_position('{tenant,worker,admin}', k.kind)
  $$
);

select * from finish();
rollback;
