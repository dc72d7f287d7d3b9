-- A public function that a bound body calls could not be replaced by one with other arguments.
-- idempotency_key never will be: the keys it makes are stored.
begin;
select plan(1);

select is_empty($$
  select p.oid::regprocedure, called.oid::regprocedure
  from pg_proc as p
  join pg_depend as d
    on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.refclassid = 'pg_proc'::regclass
  join pg_proc as called on called.oid = d.refobjid
  where p.pronamespace = 'pgagent'::regnamespace
    and p.prosqlbody is not null
    and called.pronamespace = 'pgagent'::regnamespace
    and called.proname not like '\_%'
    and called.proname <> 'idempotency_key'
$$);

select * from finish();
rollback;
