-- And one that reads, and asks itself what row security asks.
begin;
select plan(2);

select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and p.prosecdef
  $$,
  '{
    append_event, append_message, append_messages, begin_tool_call, cancel_job, claim_job,
    claim_jobs, complete_job, complete_tool_call, copy_thread, create_session, decide_approval,
    delay_queue_retries, delete_runs, delete_session, discard_partial_outputs, enqueue_job,
    enqueue_jobs, expire_approvals, fail_job, fail_tool_call, fork_session, limit_queue, pause_job,
    pause_queue, prune_history, put_checkpoint, put_writes, reap_expired, record_summary,
    record_usage, release_job, renew_lease, request_approval, requeue_job, resume_job, resume_queue,
    run_schedules, schedule_job, set_setting, start_run, sweep_orphans, unschedule_job,
    _with_metadata
  }'::text[], 'security definer'
);
select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace and not p.prosecdef and p.proname not like '\_%'
  $$,
  '{
    checkpoint_at, checkpoint_descendants, checkpoint_history, checkpoint_namespaces,
    checkpoint_sizes, checkpoints_between, compare_trajectories, context_window,
    delta_channel_history, enable_metadata_index, events_since, get_approval, get_checkpoint,
    get_job, grant_access, idempotency_key, job_history, list_checkpoints, list_jobs,
    messages_to_summarize, needs_compaction, queue_stats, session_timeline, tool_at_step,
    trajectory, version
  }'::text[],
  'with the rights of their caller'
);

select * from finish();
rollback;
