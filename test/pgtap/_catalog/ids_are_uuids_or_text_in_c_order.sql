-- So that ids sort alike everywhere, and an upgrade of the system's locale breaks no index.
begin;
select plan(2);

select is_empty($$
  select c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod)
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = 'pgagent'::regnamespace
    and c.relkind = 'r'
    and a.attname ~ '_id$'
    and not (
      a.atttypid = 'uuid'::regtype
      or a.atttypid = 'text'::regtype and a.attcollation = '"C"'::regcollation
    )
$$, 'ids');
select is_empty($$
  select i.indexrelid::regclass, a.attname
  from pg_index as i
  join pg_class as c on c.oid = i.indrelid and c.relnamespace = 'pgagent'::regnamespace
  join pg_attribute as a
    on a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attcollation <> 0
  where a.attcollation <> '"C"'::regcollation
$$, 'every text that is indexed');

select * from finish();
rollback;
