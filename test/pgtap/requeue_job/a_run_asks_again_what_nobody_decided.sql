-- Its worker finds the question with the checkpoint, and pauses without running anything. The call
-- is decided under its key all the same.
begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.asks_again(thread text, cancelled boolean) returns jsonb
language plpgsql volatile
as $$
declare
  v_question jsonb;
  v_token bigint;
begin
  perform pg_temp.run(thread);
  perform pg_temp.put(thread, 'c1', 1);
  select question into v_question
  from pgagent.request_approval(thread, 'k', 'pay', fencing_token => 1);
  perform pgagent.pause_job(pg_temp.job(thread), 1, jsonb_build_object('q', v_question), '1 hour');
  if cancelled then
    perform pgagent.cancel_job(pg_temp.job(thread));
  else
    perform pgagent_test.advance('2 hours');
    perform pgagent.expire_approvals();
  end if;
  perform pgagent.requeue_job(pg_temp.job(thread));
  select fencing_token into v_token from pgagent.claim_job('w2');
  perform pgagent.pause_job(
    pg_temp.job(thread), v_token, jsonb_build_object('q', v_question), '1 hour'
  );
  perform pgagent.decide_approval(approval_id, 'approve')
  from pgagent.pending_approvals where thread_id = thread;
  select fencing_token into v_token from pgagent.claim_job('w3');
  return (
    select decision
    from pgagent.request_approval(thread, 'k', 'pay', fencing_token => v_token)
  );
end
$$;

select is(pg_temp.asks_again('a', false), '{"type": "approve"}', 'after the deadline');
select is(pg_temp.asks_again('b', true), '{"type": "approve"}', 'after a cancellation');

-- A run that does run asks as well.
select pg_temp.pause('t', '1 hour');
select pgagent.cancel_job(pg_temp.job('t'));
select pg_temp.run('u');
select pgagent.request_approval('u', 'k', 'pay', fencing_token => 1);
select pgagent.pause_job(
  pg_temp.job('u'), 1,
  (select jsonb_build_object('q', question) from pgagent.approvals where thread_id = 'u'), '1 hour'
);
select pgagent_test.advance('2 hours');
select pgagent.expire_approvals();
select pgagent.requeue_job(pg_temp.job('u'));
select fencing_token from pgagent.claim_job('w2');
select results_eq(
  $$select status, decision from pgagent.request_approval('u', 'k', 'pay', fencing_token => 2)$$,
  $$values ('PENDING', null::jsonb)$$
);
select is((select count(*) from pgagent.approvals where thread_id = 'u'), 1::bigint);

select * from finish();
rollback;
