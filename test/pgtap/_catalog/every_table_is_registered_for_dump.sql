-- pg_dump leaves out the rows of extension tables that are not. A plain install needs none.
begin;
select plan(1);

select set_eq(
  $$
    select r.relation::regclass::text
    from pg_extension as e
    cross join unnest(e.extconfig) as r (relation)
    where e.extname = 'pgagent'
  $$,
  $$
    select c.oid::regclass::text
    from pg_class as c
    join pg_extension as e on e.extname = 'pgagent'
    where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'S')
  $$
);

select * from finish();
rollback;
