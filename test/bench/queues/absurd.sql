select run_id from absurd.claim_task('q', 'w1', 60, 1) \gset
select absurd.complete_run('q', :run_id);
