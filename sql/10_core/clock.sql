-- The one clock. Comes before every table: column defaults use it.

-- Time as the database server sees it, now, and not at the start of the transaction: a lease taken
-- late in a long transaction must not be over at its commit. There is no override: whoever could
-- set one could steal leases. Test suites replace this function in their own database.
create function pgagent._now()
returns timestamptz
language sql
volatile
parallel safe
begin atomic
  select clock_timestamp();
end;

comment on function pgagent._now() is
'The time of the database server at this moment; the only clock that leases and schedules are '
'measured by.';
