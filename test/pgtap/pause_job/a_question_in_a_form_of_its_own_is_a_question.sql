begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select lives_ok(
  format($$select pgagent.pause_job(pg_temp.job('t'), 1, '{
    "a": {"action_requests": []}, "b": {"action_requests": 1}, "c": {"action_requests": [1]},
    "d": {"action_requests": [{"name": "pay"}]}, "e": null, "f": [{"action_requests": 1}],
    "g": {"action_requests": [{"name": "pay", "args": {}}], "review_configs": [1]},
    "i": {"tool_call_key": "k", "action_requests": 1}, "j": {"tool_call_key": {}},
    "h": {"action_requests": [{"name": "pay", "args": {}}], "review_configs": 1}
  }')$$)
);

select is(
  (select array_agg(interrupt_id order by interrupt_id)::text[] from pgagent.pending_approvals
  where action is null), '{a,b,c,d,e,f,i,j}'::text[]
);
select is((select count(*) from pgagent.pending_approvals), 10::bigint);

select * from finish();
rollback;
