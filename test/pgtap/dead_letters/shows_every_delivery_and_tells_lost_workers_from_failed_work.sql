begin;
\ir ../_lib.sql
select plan(5);

-- Lost, failed, lost: the third is the last.
select pgagent.enqueue_job('lost', '"x"');
select fencing_token from pgagent.claim_job('w1');
select pgagent_test.advance('61 s');
select fencing_token from pgagent.claim_job('w2');
select pgagent.fail_job(pg_temp.job('lost'), 2, '{"type": "Fault"}', retry_in => '0');
select fencing_token from pgagent.claim_job('w3');
select pgagent_test.advance('61 s');
select pgagent.reap_expired();
select pg_temp.run('failed');
select pgagent.fail_job(pg_temp.job('failed'), 1, '{"type": "Bug"}', fatal => true);
select fencing_token from pgagent.start_run('late', 'w1', timeout => '1 s');
select pgagent_test.advance('2 s');
select pgagent.reap_expired();

select results_eq(
  $$
    select thread_id, status, outcome, lost, failed, error ->> 'type' from pgagent.dead_letters
    order by completed_at
  $$,
  $$
    values
    ('lost' collate "C", 'FAILED' collate "C", 'lost' collate "C", 2::bigint, 1::bigint, 'lost'),
    ('failed', 'FAILED', 'failed', 0, 1, 'Bug'),
    ('late', 'TIMED_OUT', 'timed_out', 0, 1, 'timed_out')
  $$
);
select results_eq(
  $$
    select d ->> 'attempt', d ->> 'worker', d ->> 'outcome', d #>> '{error,type}'
    from pgagent.dead_letters, jsonb_array_elements(deliveries) as d
    where thread_id = 'lost'
  $$,
  $$
    values ('1', 'w1', 'lost', 'lost'), ('2', 'w2', 'failed', 'Fault'), ('3', 'w3', 'lost', 'lost')
  $$,
  'one row a delivery, with its own error'
);
select pgagent.enqueue_job('cancelled', '{}');
select pgagent.cancel_job(pg_temp.job('cancelled'));
select pgagent.enqueue_job('live', '{}');
select is((select count(*) from pgagent.dead_letters), 3::bigint, 'and nothing else');
select pgagent.requeue_job(pg_temp.job('failed'));
select is((select count(*) from pgagent.dead_letters), 2::bigint, 'until it runs again');
select become('t_tenant');
set local pgagent.user_id = 'alice';
select is_empty('select * from pgagent.dead_letters', 'tenants see their own');

select * from finish();
rollback;
