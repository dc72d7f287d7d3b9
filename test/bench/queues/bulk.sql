-- Jobs by the hundred thousand, as enqueue_job leaves them: :threads threads, each with :each jobs, the
-- first in the state :status and the others waiting behind it.
set session_replication_role = replica;
insert into pgagent.agent_jobs (
  job_id, thread_id, seq, queue, payload, status, priority, available_at, completed_at, created_at
)
select
  pgagent._new_id('bulk-' || t), 'bulk-' || t, n, 'default', '{"n": 1}',
  case when n = 1 or :'status' = 'COMPLETED' then :'status' else 'WAITING' end, 0,
  pgagent._now(), case when :'status' = 'COMPLETED' then pgagent._now() end, pgagent._now()
from generate_series(1, :threads) as t
cross join generate_series(1, :each) as n;
insert into pgagent.agent_sessions (thread_id, status, active_job_id, last_job_seq)
select
  j.thread_id, 'IDLE', case when j.status = 'PENDING' then j.job_id end, :each
from pgagent.agent_jobs as j
where j.seq = 1 and j.thread_id like 'bulk-%';
reset session_replication_role;
vacuum analyze;
checkpoint;
