-- Sizes and counts that arguments may have. One place: checks, functions, documentation and tests
-- read it.

-- Immutable and inlined, so that `pgagent._limit('name')` is a constant in every plan. An index
-- entry holds at most 2,704 bytes: thread_id, checkpoint_ns and two names must fit into one.
create function pgagent._limit(name text)
returns bigint
language sql
immutable
parallel safe
begin atomic
  select
    case name
      when 'thread_id' then 1024
      when 'name' then 255
      when 'checkpoint_ns' then 1024
      when 'config' then 16384
      when 'metadata' then 16384
      when 'payload' then 1048576
      when 'result' then 1048576
      when 'message' then 8388608
      when 'checkpoint' then 16777216
      when 'value' then 268435456
      when 'batch' then 10000
      when 'reason' then 1000
      when 'queues' then 100
      when 'claim' then 1000
      when 'sweep' then 1000
      when 'running' then 1000
    end;
end;

comment on function pgagent._limit(text) is 'A limit by name; see pgagent.limits.';

create view pgagent.limits with (security_invoker = true) as
select
  l.name,
  pgagent._limit(l.name) as value,
  l.unit,
  l.applies_to
from (
  values
  ('thread_id', 'bytes', 'thread ids'),
  ('name', 'bytes', 'queues, workers, tools, owners, kinds, idempotency keys and other names'),
  ('checkpoint_ns', 'bytes', 'checkpoint namespaces'),
  ('config', 'bytes', 'session and job configuration'),
  ('metadata', 'bytes', 'session metadata'),
  ('payload', 'bytes', 'job payloads, answers, event data and tool arguments'),
  ('result', 'bytes', 'job and tool results, and errors'),
  ('message', 'bytes', 'message content and its retrieved context, each'),
  ('checkpoint', 'bytes', 'a checkpoint without its channel values, and its metadata'),
  ('value', 'bytes', 'the serialised values or writes of one call'),
  ('batch', 'rows', 'batches'),
  ('reason', 'bytes', 'why a job is cancelled'),
  ('queues', 'rows', 'the queues of one claim'),
  ('claim', 'rows', 'the jobs of one claim'),
  ('sweep', 'rows', 'the threads of one sweep'),
  ('running', 'rows', 'the running jobs that a limit of a queue may allow')
) as l (name, unit, applies_to);

comment on view pgagent.limits is
'The largest arguments that functions accept; beyond them they raise PA009.';
comment on column pgagent.limits.name is 'Name of the limit, as PA009 gives it.';
comment on column pgagent.limits.value is 'The largest value that is accepted.';
comment on column pgagent.limits.unit is
'bytes or rows; bytes of JSON are counted as the server stores it, uncompressed.';
comment on column pgagent.limits.applies_to is 'Which arguments it applies to.';
