-- Sessions as people look at them.
create view pgagent.sessions with (security_invoker = true) as
select
  s.thread_id,
  s.user_id,
  s.status,
  coalesce(d.config, '{}') as config,
  coalesce(d.metadata, '{}') as metadata,
  s.head_checkpoint_id,
  s.active_job_id,
  s.fencing_token,
  s.owner_token,
  s.last_message_seq,
  s.last_event_seq,
  s.last_job_seq,
  s.last_checkpoint_seq,
  s.created_at,
  s.last_activity_at,
  s.completed_at,
  s.expires_at,
  s.pinned
from pgagent.agent_sessions as s
left join pgagent.session_data as d on d.thread_id = s.thread_id
where s.status <> 'DELETED';

comment on view pgagent.sessions is 'Threads with their configuration and metadata; no tombstones.';
