-- Which public function is for whom. A test fails when a function is missing here.
--
-- reader: sees everything.           tenant: sees and changes threads of its own.
-- worker: runs jobs of every owner.  admin:  everything.
create view pgagent.privileges with (security_invoker = true) as
select
  p.kinds,
  f.oid::regprocedure as routine
from (
  values
  ('version', '{reader,tenant,worker,admin}'::text[]),
  ('idempotency_key', '{reader,tenant,worker,admin}'),
  ('get_job', '{reader,tenant,worker,admin}'),
  ('list_jobs', '{reader,tenant,worker,admin}'),
  ('job_history', '{reader,tenant,worker,admin}'),
  ('events_since', '{reader,tenant,worker,admin}'),
  ('queue_stats', '{reader,worker,admin}'),
  ('get_approval', '{reader,tenant,worker,admin}'),
  ('get_checkpoint', '{reader,tenant,worker,admin}'),
  ('list_checkpoints', '{reader,tenant,worker,admin}'),
  ('delta_channel_history', '{reader,tenant,worker,admin}'),
  ('trajectory', '{reader,tenant,worker,admin}'),
  ('context_window', '{reader,tenant,worker,admin}'),
  ('messages_to_summarize', '{reader,tenant,worker,admin}'),
  ('needs_compaction', '{reader,tenant,worker,admin}'),
  ('compare_trajectories', '{reader,tenant,worker,admin}'),
  ('create_session', '{tenant,worker,admin}'),
  ('append_message', '{tenant,worker,admin}'),
  ('append_messages', '{tenant,worker,admin}'),
  ('append_event', '{tenant,worker,admin}'),
  ('record_usage', '{tenant,worker,admin}'),
  ('record_summary', '{tenant,worker,admin}'),
  ('delete_session', '{tenant,worker,admin}'),
  ('enqueue_job', '{tenant,worker,admin}'),
  ('resume_job', '{tenant,worker,admin}'),
  ('cancel_job', '{tenant,worker,admin}'),
  ('requeue_job', '{tenant,worker,admin}'),
  ('put_checkpoint', '{tenant,worker,admin}'),
  ('put_writes', '{tenant,worker,admin}'),
  ('prune_history', '{tenant,worker,admin}'),
  ('delete_runs', '{worker,admin}'),
  ('copy_thread', '{tenant,worker,admin}'),
  ('discard_partial_outputs', '{worker,admin}'),
  ('begin_tool_call', '{tenant,worker,admin}'),
  ('complete_tool_call', '{tenant,worker,admin}'),
  ('fail_tool_call', '{tenant,worker,admin}'),
  ('request_approval', '{tenant,worker,admin}'),
  ('decide_approval', '{tenant,worker,admin}'),
  ('start_run', '{worker,admin}'),
  ('claim_job', '{worker,admin}'),
  ('claim_jobs', '{worker,admin}'),
  ('renew_lease', '{worker,admin}'),
  ('complete_job', '{worker,admin}'),
  ('fail_job', '{worker,admin}'),
  ('release_job', '{worker,admin}'),
  ('pause_job', '{worker,admin}'),
  ('reap_expired', '{worker,admin}'),
  ('sweep_orphans', '{worker,admin}'),
  ('expire_approvals', '{worker,admin}'),
  ('set_setting', '{admin}'),
  ('schedule_job', '{admin}'),
  ('unschedule_job', '{admin}'),
  ('run_schedules', '{worker,admin}'),
  ('enable_metadata_index', '{admin}'),
  ('grant_access', '{}'),
  -- Private, and reached by policies, column defaults and functions that run as their caller.
  ('_with_metadata', '{reader,tenant,worker,admin}'),
  ('_tenant', '{reader,tenant,worker,admin}'),
  ('_without_value', '{reader,tenant,worker,admin}'),
  ('_stored_value', '{reader,tenant,worker,admin}'),
  ('_now', '{reader,worker,admin}'),
  ('_limit', '{reader,tenant,worker,admin}'),
  ('_calls_of', '{reader,tenant,worker,admin}'),
  ('_calls_at', '{reader,tenant,worker,admin}'),
  ('_is_partner', '{reader,tenant,worker,admin}'),
  ('_has_members', '{reader,tenant,worker,admin}'),
  ('_without_partner', '{reader,tenant,worker,admin}'),
  ('_context', '{reader,tenant,worker,admin}'),
  ('_cuts', '{reader,tenant,worker,admin}'),
  ('_check_keep', '{reader,tenant,worker,admin}'),
  ('_check_trajectory', '{reader,tenant,worker,admin}'),
  ('_check_comparison', '{reader,tenant,worker,admin}'),
  ('_check_name', '{reader,tenant,worker,admin}'),
  ('_raise', '{reader,tenant,worker,admin}'),
  ('_service', '{reader,worker,admin}'),
  ('_writer', '{worker,admin}')
) as p (name, kinds)
join pg_catalog.pg_proc as f
  on f.proname = p.name and f.pronamespace = 'pgagent'::regnamespace;

comment on view pgagent.privileges is 'Which function grant_access lets which kind of role call.';
comment on column pgagent.privileges.kinds is
'reader, tenant, worker, admin; none: the owner alone.';
comment on column pgagent.privileges.routine is 'The function.';
