-- It would cost a write each time and find nothing that the longer one does not.
begin;
select plan(1);

select is_empty($$
  with index as (
    select
      i.indrelid, i.indexrelid, i.indnkeyatts, c.relam, i.indkey, i.indcollation, i.indclass,
      i.indoption, pg_get_expr(i.indpred, i.indrelid) as predicate, i.indexprs
    from pg_index as i
    join pg_class as c on c.oid = i.indexrelid and c.relnamespace = 'pgagent'::regnamespace
  )
  select short.indexrelid::regclass, long.indexrelid::regclass
  from index as short
  join index as long
    on long.indrelid = short.indrelid
    and long.indexrelid <> short.indexrelid
    and long.relam = short.relam
    and long.indnkeyatts >= short.indnkeyatts
    and long.predicate is not distinct from short.predicate
  where short.indexprs is null
    and long.indexprs is null
    and (long.indkey::int2[])[0:short.indnkeyatts - 1]
      = (short.indkey::int2[])[0:short.indnkeyatts - 1]
    and (long.indcollation::oid[])[0:short.indnkeyatts - 1]
      = (short.indcollation::oid[])[0:short.indnkeyatts - 1]
    and (long.indclass::oid[])[0:short.indnkeyatts - 1]
      = (short.indclass::oid[])[0:short.indnkeyatts - 1]
$$);

select * from finish();
rollback;
