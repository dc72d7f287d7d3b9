-- Whether the context has to be summarised before the next call of the model.
--
-- thread_id: the thread.
-- context_size: tokens that the model's context holds.
-- projected: tokens that the next call would send, next input and descriptions of tools included;
--            by default `upcoming` and the token counts of context_window, where a message without
--            one counts a token for four bytes of its JSON.
-- upcoming:  tokens of what is about to be added.
-- threshold: from 0 to 1: what part of the context may be used.
-- keep:      as for messages_to_summarize: with nothing to summarise the answer is no.
-- Returns:   true when the projection is above the threshold.
-- Raises:    PA008 bad arguments.
-- Reads under row security; locks nothing.
create function pgagent.needs_compaction(
  thread_id text, context_size bigint, projected bigint default null, upcoming bigint default 0,
  threshold numeric default 0.7, keep bigint default 20
)
returns boolean
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgagent._check_keep(keep);
  if (context_size >= 1 and upcoming >= 0 and threshold between 0 and 1) is not true
    or projected < 0 then
    perform pgagent._raise(
      'PA008', 'context_size is at least 1, tokens are counts, and threshold is from 0 to 1',
      format(
        'context_size: %s, projected: %s, upcoming: %s, threshold: %s', context_size, projected,
        upcoming, threshold
      )
    );
  end if;
  return coalesce(
    projected,
    upcoming + (
      select coalesce(sum(coalesce(w.token_count, octet_length(w.content::text) / 4)), 0)
      from pgagent._context(needs_compaction.thread_id, null) as w
    )
  ) > threshold * context_size
  and exists (
    select from pgagent._cuts(needs_compaction.thread_id) as c where c.after >= keep
  );
end
$$;

comment on function pgagent.needs_compaction(text, bigint, bigint, bigint, numeric, bigint) is
'Whether a thread''s context has to be summarised before the model is called again.';
