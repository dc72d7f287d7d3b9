begin;
\ir ../_lib.sql
select plan(5);

select is((select status from pgagent.enqueue_job('t', '1', on_busy => 'reject')), 'PENDING');
select throws_ok($$select pgagent.enqueue_job('t', '2', on_busy => 'reject')$$, 'PA001');
select fencing_token from pgagent.claim_job('w1');
select throws_ok(
  $$select pgagent.enqueue_job('t', '2', on_busy => 'reject')$$, 'PA001', null, 'running'
);
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}');
select throws_ok(
  $$select pgagent.enqueue_job('t', '2', on_busy => 'reject')$$, 'PA001', null, 'paused'
);
select pgagent.cancel_job(pg_temp.job('t'));
select is((select status from pgagent.enqueue_job('t', '2', on_busy => 'reject')), 'PENDING');

select * from finish();
rollback;
