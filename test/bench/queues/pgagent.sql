select job_id, fencing_token from pgagent.claim_job('w1') \gset
select pgagent.complete_job(:job_id, :fencing_token);
