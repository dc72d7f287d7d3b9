-- Where the last claims of this backend ended, so that the next one need not walk past everything
-- that was claimed before it: while a snapshot is held, none of that is removed from the index.
--
-- They stand in a setting of the session, pgagent._claims: for each queue a hash of its name, an
-- equals sign, twelve numbers with commas between, and a semicolon. The numbers are microseconds:
-- 1 to 10: available_at of the last job that was claimed with priority 0 to 9, since the epoch;
-- 11: when this backend last looked through the queue from the start; 12: how long that took.
-- A hint: it may be lost or wrong at any time (a pooler, anybody who sets it, a clock that stepped
-- back). Then a claim looks from the start, as it does every now and then anyway.

-- The numbers of a queue; zeros, never looked, when there are none that can be read.
create function pgagent._recall(memory text, queue text)
returns bigint[]
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_numbers text := split_part(
    split_part(memory, hashtextextended(queue, 0) || '=', 2), ';', 1
  );
begin
  if v_numbers ~ '^(\d{1,16},){11}\d{1,16}$' then
    return ('{' || v_numbers || '}')::bigint[];
  end if;
  return array_fill(0::bigint, array[12]);
end
$$;

comment on function pgagent._recall(text, text) is
'What this backend remembers of a queue: where its claims ended and when it looked from the start.';

-- The memory with other numbers: those of the queues of this call, and of others, the newest first,
-- eight in all unless this call has more.
--
-- numbers: twelve a queue.
create function pgagent._with_numbers(memory text, queues text[], numbers bigint[])
returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text;
  v_at integer;
  v_new text := '';
begin
  for n in 1..cardinality(queues) loop
    v_key := hashtextextended(queues[n], 0) || '=';
    v_new := v_new || v_key || array_to_string(numbers[12 * n - 11:12 * n], ',') || ';';
    v_at := position(v_key in memory);
    if v_at > 0 then
      memory := left(memory, v_at - 1)
        || substr(memory, v_at + length(split_part(substr(memory, v_at), ';', 1)) + 1);
    end if;
  end loop;
  if memory = '' then
    return v_new;
  end if;
  return v_new || array_to_string(
    (string_to_array(memory, ';'))[1:greatest(8 - cardinality(queues), 0)], ';'
  );
end
$$;

comment on function pgagent._with_numbers(text, text[], bigint[]) is
'What this backend remembers of queues, with other numbers for some.';

-- A position as a time. One that lies in the future counts for nothing. Stable as adding to a time
-- is, or it is not inlined.
create function pgagent._position(number bigint, now bigint)
returns timestamptz
language sql
stable
parallel safe
begin atomic
  select
    timestamptz 'epoch' + case when number <= now then number else 0 end * interval '1 us';
end;

comment on function pgagent._position(bigint, bigint) is
'Where the last claim of a queue and priority ended, as a time.';

-- Whether it is too early to look from the start again: that is not done twice within `pause`
-- microseconds, and takes at most a fiftieth of the time.
create function pgagent._rests(looked_at bigint, took bigint, now bigint, pause bigint)
returns boolean
language sql
immutable
parallel safe
begin atomic
  select now - looked_at between 0 and greatest(pause, 49 * took) - 1;
end;

comment on function pgagent._rests(bigint, bigint, bigint, bigint) is
'Whether this backend has looked through a queue from the start so lately that it must not again.';
