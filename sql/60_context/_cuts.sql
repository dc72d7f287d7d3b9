-- The messages after which the context may be cut, and how many come after each.
--
-- An assistant's message, the calls that follow it and their results are one piece. A call without
-- a result is open while the model has not spoken since: its piece has no end. `reaches` is how far
-- the piece goes on for certain: to the next call, to the call's result, or nowhere.
create function pgagent._cuts(thread_id text)
returns table (seq bigint, after bigint)
language sql
stable
begin atomic
  select p.seq, p.after
  from (
    select
      r.seq,
      max(r.reaches) over (order by r.seq) as reached,
      count(*) over (order by r.seq rows between 1 following and unbounded following) as after
    from (
      select
        c.seq,
        greatest(
          c.seq,
          case
            when c.role in ('assistant', 'tool_call') and c.next_role = 'tool_call' then c.next
          end,
          case
            when c.role = 'tool_call' and c.answer_role = 'tool_result' then c.answer
            when c.role = 'tool_call' and coalesce(c.spoken, 0) < c.seq then 9223372036854775807
          end
        ) as reaches
      from (
        select
          w.seq,
          w.role,
          lead(w.role) over in_order as next_role,
          lead(w.seq) over in_order as next,
          lead(w.role) over of_one_call as answer_role,
          lead(w.seq) over of_one_call as answer,
          max(w.seq) filter (where w.role = 'assistant') over () as spoken
        from pgagent._context(thread_id, null) as w
        where w.seq is not null
        window
          in_order as (order by w.seq),
          of_one_call as (partition by w.tool_call_id order by w.seq)
      ) as c
    ) as r
  ) as p
  where p.reached <= p.seq;
end;

comment on function pgagent._cuts(text) is
'The messages after which a thread''s context may be cut, and how many come after each.';

-- Raises PA008 for a number of messages to keep that makes no sense.
create function pgagent._check_keep(keep bigint)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  if (keep >= 0) is not true then
    perform pgagent._raise(
      'PA008', 'keep must not be negative', format('keep: %s', coalesce(keep::text, 'null'))
    );
  end if;
end
$$;

comment on function pgagent._check_keep(bigint) is 'Raises PA008 for a bad number of messages.';
