-- Records what stands for the beginning of a conversation from now on. The messages stay.
--
-- thread_id:          the thread.
-- covers_through_seq: the last message it stands for: the greatest seq of messages_to_summarize. It
--                     covers what earlier summaries covered, too.
-- summary:            what it says, as content of a message (at most 8 MB).
-- fencing_token:      the token of the run that writes.
-- model:              the model that wrote it.
-- tokens_before, tokens_after: tokens of the context without it and with it.
-- Returns:            true when this call recorded it, false when it was recorded before.
-- Locks:              the session.
-- Raises:             PA008, PA009 bad arguments, or a cut between a tool call and its result;
--                     PA003, PA006, PA011 the thread; PA001, PA002 the fence; PA004 another summary
--                     covers the same; PA005 a later one does.
-- Safe to repeat:     yes.
create function pgagent.record_summary(
  thread_id text, covers_through_seq bigint, summary jsonb, fencing_token bigint default null,
  model text default null, tokens_before bigint default null, tokens_after bigint default null
)
returns boolean
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  s pgagent.agent_sessions;
  v_last record;
begin
  if record_summary.summary is null or record_summary.covers_through_seq is null then
    perform pgagent._raise('PA008', 'covers_through_seq and summary are required');
  end if;
  perform pgagent._check_size('summary', record_summary.summary, 'message');
  if record_summary.model is not null then
    perform pgagent._check_name('model', record_summary.model);
  end if;
  if record_summary.tokens_before < 0 or record_summary.tokens_after < 0 then
    perform pgagent._raise(
      'PA008', 'tokens are counts',
      format(
        'tokens_before: %s, tokens_after: %s', record_summary.tokens_before,
        record_summary.tokens_after
      )
    );
  end if;
  s := pgagent._enter(record_summary.thread_id, record_summary.fencing_token);

  select c.covers_through_seq, c.summary into v_last
  from pgagent.context_summaries as c
  where c.thread_id = record_summary.thread_id
  order by c.covers_through_seq desc
  limit 1;
  if v_last.covers_through_seq = record_summary.covers_through_seq then
    if v_last.summary <> record_summary.summary then
      perform pgagent._raise(
        'PA004', 'another summary covers the same messages',
        format(
          'thread_id: %s, covers_through_seq: %s', record_summary.thread_id,
          record_summary.covers_through_seq
        ),
        'The first one stands; read context_window again.'
      );
    end if;
    return false;
  end if;
  if v_last.covers_through_seq > record_summary.covers_through_seq then
    perform pgagent._raise(
      'PA005', 'a later summary covers these messages',
      format(
        'thread_id: %s, covers_through_seq: %s, covered: %s', record_summary.thread_id,
        record_summary.covers_through_seq, v_last.covers_through_seq
      ),
      'Read context_window again.'
    );
  end if;
  if not exists (
    select from pgagent._cuts(record_summary.thread_id) as c
    where c.seq = record_summary.covers_through_seq
  ) then
    perform pgagent._raise(
      'PA008', 'covers_through_seq is no message that the context may be cut after',
      format(
        'thread_id: %s, covers_through_seq: %s', record_summary.thread_id,
        record_summary.covers_through_seq
      ),
      'Take the greatest seq of messages_to_summarize: a tool call stays with its result.'
    );
  end if;

  insert into pgagent.context_summaries (
    thread_id, covers_through_seq, summary, model, tokens_before, tokens_after, recorded_at_seq,
    job_id
  )
  values (
    record_summary.thread_id, record_summary.covers_through_seq, record_summary.summary,
    record_summary.model, record_summary.tokens_before, record_summary.tokens_after,
    s.last_message_seq, case when s.owner_token = fencing_token then s.active_job_id end
  );
  return true;
end
$$;

comment on function pgagent.record_summary(text, bigint, jsonb, bigint, text, bigint, bigint) is
'Records a summary that stands for a thread''s first messages in the context; once.';
