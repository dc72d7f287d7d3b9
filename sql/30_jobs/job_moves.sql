-- What a job may do: each legal move, and the one event that it writes.
create view pgagent.job_moves with (security_invoker = true) as
select
  m.from_status,
  m.to_status,
  m.event,
  m.made_by
from (
  values
  (null, 'PENDING', 'job_enqueued', 'enqueue_job, enqueue_jobs, start_run: none live'),
  (null, 'WAITING', 'job_enqueued', 'enqueue_job, enqueue_jobs: another job is live'),
  ('WAITING', 'PENDING', 'job_promoted', 'whatever ends the live job of the thread'),
  ('PENDING', 'WAITING', 'job_stepped_back', 'enqueue_job, enqueue_jobs: one is due earlier'),
  ('PENDING', 'IN_PROGRESS', 'job_claimed', 'claim_job, claim_jobs, start_run'),
  ('IN_PROGRESS', 'COMPLETED', 'job_completed', 'complete_job'),
  ('IN_PROGRESS', 'AWAITING_HUMAN', 'job_paused', 'pause_job'),
  ('AWAITING_HUMAN', 'PENDING', 'job_resumed', 'decide_approval, resume_job: the last question'),
  ('AWAITING_HUMAN', 'TIMED_OUT', 'job_timed_out', 'expire_approvals: nobody decided in time'),
  ('IN_PROGRESS', 'PENDING', 'job_released', 'release_job'),
  ('IN_PROGRESS', 'PENDING', 'job_failed', 'fail_job: it is retried'),
  ('IN_PROGRESS', 'PENDING', 'job_lost', 'reap_expired: the worker was silent'),
  ('IN_PROGRESS', 'PENDING', 'job_timed_out', 'reap_expired: the step took too long'),
  ('IN_PROGRESS', 'FAILED', 'job_failed', 'fail_job: fatal, or the last attempt; on_loop = fail'),
  ('IN_PROGRESS', 'FAILED', 'delivery_failed', 'reap_expired: the last attempt'),
  ('IN_PROGRESS', 'TIMED_OUT', 'job_timed_out', 'reap_expired, fail_job, release_job: deadline'),
  ('PENDING', 'TIMED_OUT', 'job_timed_out', 'reap_expired: deadline'),
  ('FAILED', 'PENDING', 'job_requeued', 'requeue_job: none is live'),
  ('FAILED', 'WAITING', 'job_requeued', 'requeue_job: another job is live'),
  ('TIMED_OUT', 'PENDING', 'job_requeued', 'requeue_job: none is live'),
  ('TIMED_OUT', 'WAITING', 'job_requeued', 'requeue_job: another job is live'),
  ('CANCELLED', 'PENDING', 'job_requeued', 'requeue_job: none is live'),
  ('CANCELLED', 'WAITING', 'job_requeued', 'requeue_job: another job is live'),
  ('WAITING', 'CANCELLED', 'job_cancelled', 'cancel_job'),
  ('PENDING', 'CANCELLED', 'job_cancelled', 'cancel_job; on_busy = interrupt, rollback'),
  ('AWAITING_HUMAN', 'CANCELLED', 'job_cancelled', 'cancel_job; on_busy = interrupt, rollback'),
  (
    'IN_PROGRESS', 'CANCELLED', 'job_cancelled',
    'cancel_job with force; on_busy = interrupt, rollback; however the delivery ends once '
    'cancel_job has asked'
  )
) as m (from_status, to_status, event, made_by);

comment on view pgagent.job_moves is
'Every legal move of a job and the one event that it writes; anything else is refused.';
comment on column pgagent.job_moves.from_status is 'The status before; null: there was no job.';
comment on column pgagent.job_moves.to_status is 'The status after.';
comment on column pgagent.job_moves.event is 'The kind of the event in session_events.';
comment on column pgagent.job_moves.made_by is 'What makes the move.';
