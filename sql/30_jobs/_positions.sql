-- Where the last claims of this backend ended, so that the next one need not walk past everything
-- that was claimed before it: while a snapshot is held, none of that is removed from the index.
--
-- They stand in a setting of the session, pgagent._claims: for each queue the start of its md5, an
-- equals sign, and a record of 188 digits: ten positions, one a priority, of 16 digits each
-- (available_at of the last job that was claimed, in microseconds of the epoch; zero is the start);
-- when this backend last looked from the start, 16 digits; and how many microseconds that took, 12.
-- A hint: it may be lost or wrong at any time (a pooler, anybody who sets it, a clock that stepped
-- back). Then a claim looks from the start, as it does every now and then anyway.

-- The record of a queue; all zeros, never looked, when there is none that can be read.
create function pgagent._recall(memory text, queue text)
returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_at integer := position(pgagent._memory_key(queue) in memory);
  v_record text := substr(memory, v_at + 13, 188);
begin
  if v_at > 0 and length(v_record) = 188 and translate(v_record, '0123456789', '') = '' then
    return v_record;
  end if;
  return repeat('0', 188);
end
$$;

comment on function pgagent._recall(text, text) is
'What this backend remembers of a queue: where its claims ended and when it looked from the start.';

create function pgagent._memory_key(queue text)
returns text
language sql
immutable
parallel safe
begin atomic
  select substr(md5(queue), 1, 12) || '=';
end;

comment on function pgagent._memory_key(text) is 'Under what a queue is remembered by claims.';

-- The position of a priority in a record. One that lies in the future counts for nothing.
create function pgagent._position(record text, priority smallint, now bigint)
returns timestamptz
language sql
immutable
parallel safe
begin atomic
  select
    timestamptz 'epoch'
    + case
      when substr(record, 16 * priority + 1, 16)::bigint <= now
        then substr(record, 16 * priority + 1, 16)::bigint
      else 0
    end * interval '1 us';
end;

comment on function pgagent._position(text, smallint, bigint) is
'Where the last claim of a queue and priority ended, from the record of the queue.';

-- Whether it is too early to look from the start again: that is not done twice within `pause`
-- microseconds, and takes at most a fiftieth of the time.
create function pgagent._rests(record text, now bigint, pause bigint)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select
    now - substr(record, 161, 16)::bigint
    between 0 and greatest(pause, 49 * substr(record, 177, 12)::bigint) - 1;
end;

comment on function pgagent._rests(text, bigint, bigint) is
'Whether this backend has looked through a queue from the start so lately that it must not again.';

-- Writes records down: those of the queues of this call before what was remembered of others, eight
-- in all unless this call has more.
create function pgagent._remember(memory text, queues text[], records text[])
returns void
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_memory text := '';
begin
  for n in 1..cardinality(queues) loop
    v_memory := v_memory || pgagent._memory_key(queues[n]) || records[n];
    memory := replace(
      memory, pgagent._memory_key(queues[n]) || pgagent._recall(memory, queues[n]), ''
    );
  end loop;
  perform set_config(
    'pgagent._claims', left(v_memory || memory, 201 * greatest(8, cardinality(queues))), false
  );
end
$$;

comment on function pgagent._remember(text, text[], text[]) is
'Notes where the claims of this backend ended, for the next one.';

-- A record with another position for a priority.
create function pgagent._with_position(record text, priority integer, at timestamptz)
returns text
language sql
immutable
parallel safe
begin atomic
  select overlay(
    record placing lpad((extract(epoch from at) * 1000000)::bigint::text, 16, '0')
    from 16 * priority + 1
  );
end;

comment on function pgagent._with_position(text, integer, timestamptz) is
'The record of a queue with the position of one priority set.';

-- A record after a look from the start. The first in a backend counts as if it took no time: most
-- of that went into planning.
create function pgagent._with_look(record text, begun bigint, ended bigint)
returns text
language sql
immutable
parallel safe
begin atomic
  select overlay(
    record placing
    lpad(ended::text, 16, '0')
    || case
      when substr(record, 161, 16)::bigint = 0 then repeat('0', 12)
      else lpad(least(greatest(ended - begun, 0), 999999999999)::text, 12, '0')
    end
    from 161
  );
end;

comment on function pgagent._with_look(text, bigint, bigint) is
'The record of a queue after it was looked through from the start.';
