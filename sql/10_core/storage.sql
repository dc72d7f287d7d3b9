-- Vacuum and TOAST settings of the tables that change all day. Defaults let a fifth of a table die
-- before anything happens; truncation takes an exclusive lock. The analyze threshold stays at its
-- default, or a plan made while a table was empty would live for its first 5,000 rows.
do $$
declare
  v_table name;
begin
  foreach v_table in array '{
    agent_sessions, session_messages, session_events, usage_records, agent_jobs, job_attempts,
    queue_slots, checkpoints, checkpoint_blobs, checkpoint_items, checkpoint_writes, tool_calls,
    approvals, context_summaries
  }'::name[] loop
    execute format(
      'alter table pgagent.%I set (
        autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_insert_scale_factor = 0.02,
        autovacuum_vacuum_cost_limit = 2000,
        vacuum_truncate = off,
        toast.autovacuum_vacuum_scale_factor = 0.02,
        toast.autovacuum_vacuum_threshold = 5000,
        toast.autovacuum_vacuum_cost_limit = 2000,
        toast.vacuum_truncate = off
      )', v_table
    );
  end loop;
end
$$;
