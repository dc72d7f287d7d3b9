-- What a next summary should cover: the context without its last messages.
--
-- thread_id: the thread.
-- keep:      how many messages stay verbatim, at least. A tool call stays with its result, and with
--            the assistant's message that it belongs to; a call that is under way stays.
-- Returns:   rows as context_window, the last summary among them; none when there is nothing to
--            summarise. The greatest seq is what to pass to record_summary as covers_through_seq.
-- Raises:    PA008 a bad number.
-- Reads under row security; locks nothing.
create function pgagent.messages_to_summarize(thread_id text, keep bigint default 20)
returns table (seq bigint, role text, content jsonb, tool_call_id text, token_count bigint)
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_cut bigint;
begin
  perform pgagent._check_keep(keep);
  v_cut := (
    select max(c.seq)
    from pgagent._cuts(messages_to_summarize.thread_id) as c
    where c.after >= keep
  );
  if v_cut is not null then
    return query
    select w.seq, w.role, w.content, w.tool_call_id, w.token_count
    from pgagent._context(messages_to_summarize.thread_id, null) as w
    where w.seq is null or w.seq <= v_cut;
  end if;
end
$$;

comment on function pgagent.messages_to_summarize(text, bigint) is
'The part of the context that a next summary should cover; no rows when there is none.';
