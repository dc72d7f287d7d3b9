select count(pgagent.complete_job(job_id, fencing_token))
from pgagent.claim_jobs('w1', max_jobs => 50);
