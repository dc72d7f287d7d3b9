-- A clock that tests can move. For test databases only: in a real one, whoever moves the clock
-- steals leases.
--
--   select pgagent_test.advance('61 s');          this transaction only; its end sets it right
--   select pgagent_test.advance_for_all('61 s');  every session, at once, until reset_for_all()
--
-- A transaction that moved its own clock does not see the common one.
create schema pgagent_test;
grant usage on schema pgagent_test to public;

-- Microseconds. A sequence, because it is seen by every session whatever its snapshot.
create sequence pgagent_test.shift minvalue 0 start 0;
grant select, update on sequence pgagent_test.shift to public;

create function pgagent_test.advance(by interval)
returns timestamptz
language sql
volatile
begin atomic
  select set_config(
    'pgagent_test.shift',
    (coalesce(nullif(current_setting('pgagent_test.shift', true), '')::interval, '0') + by)::text,
    true
  );
  select pgagent._now();
end;

create function pgagent_test.advance_for_all(by interval)
returns timestamptz
language sql
volatile
begin atomic
  select setval(
    'pgagent_test.shift',
    coalesce(pg_sequence_last_value('pgagent_test.shift'), 0)
    + (extract(epoch from by) * 1000000)::bigint
  );
  select pgagent._now();
end;

create function pgagent_test.reset_for_all()
returns timestamptz
language sql
volatile
begin atomic
  select setval('pgagent_test.shift', 0);
  select pgagent._now();
end;

create or replace function pgagent._now()
returns timestamptz
language sql
volatile
parallel safe
begin atomic
  select clock_timestamp() + coalesce(
    nullif(current_setting('pgagent_test.shift', true), '')::interval,
    pg_sequence_last_value('pgagent_test.shift') * interval '1 us',
    '0'
  );
end;
