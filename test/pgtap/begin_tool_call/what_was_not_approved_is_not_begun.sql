begin;
\ir ../_lib.sql
select plan(4);

create function pg_temp.decided(thread text, decision text, response jsonb default null)
returns void
language plpgsql volatile
as $$
begin
  perform pg_temp.run(thread);
  perform pgagent.request_approval(thread, 'k', 'pay', fencing_token => 1);
  perform pgagent.pause_job(
    pg_temp.job(thread), 1,
    (select jsonb_build_object('q', question) from pgagent.approvals where thread_id = thread)
  );
  perform pgagent.decide_approval(pg_temp.approval(thread), decision, response => response);
  perform pgagent.claim_job('w2');
end
$$;

select pg_temp.decided('a', 'reject');
select throws_ok(
  $$select pgagent.begin_tool_call('a', 'pay', 'k', fencing_token => 2)$$, 'PA005'
);
select pg_temp.decided('b', 'respond', '"no need"');
select throws_ok(
  $$select pgagent.begin_tool_call('b', 'pay', 'k', fencing_token => 2)$$, 'PA005'
);
select pg_temp.decided('c', 'approve');
select is(
  (select action from pgagent.begin_tool_call('c', 'pay', 'k', fencing_token => 2)), 'execute'
);
select is((select decision from pgagent.tool_calls), '{"type": "approve"}'::jsonb, 'and it is kept');

select * from finish();
rollback;
