-- docs/reference.md is made from them.
begin;
select plan(5);

select isnt(obj_description('pgagent'::regnamespace, 'pg_namespace'), null, 'the schema');
select is_empty($$
  select c.oid::regclass
  from pg_class as c
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind in ('r', 'v', 'S')
    and obj_description(c.oid, 'pg_class') is null
$$, 'tables and views');
select is_empty($$
  select c.oid::regclass, a.attname
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and col_description(c.oid, a.attnum) is null
$$, 'columns of tables');
select is_empty($$
  select c.oid::regclass, a.attname
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'v'
    and c.relname <> 'sessions'
    and col_description(c.oid, a.attnum) is null
$$, 'columns of views; sessions shows those of its tables');
select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and obj_description(p.oid, 'pg_proc') is null
$$, 'functions');

select * from finish();
rollback;
