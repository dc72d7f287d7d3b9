begin;
\ir ../_lib.sql
select plan(5);

create function pg_temp.told(thread text, decision text, edited jsonb, response jsonb, reason text)
returns jsonb
language plpgsql volatile
as $$
begin
  perform pg_temp.pause(thread);
  perform pgagent.decide_approval(pg_temp.approval(thread), decision, edited, response, reason);
  return (
    select resume -> 'q' -> 'decisions' from pgagent.agent_jobs where thread_id = thread
  );
end
$$;

select is(pg_temp.told('a', 'approve', null, null, 'fine'), '[{"type": "approve"}]');
select is(
  pg_temp.told('b', 'edit', '{"args": {"amount": 5}}', null, null),
  '[{"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 5}}}]'
);
select is(
  pg_temp.told('c', 'reject', null, null, 'too much'), '[{"type": "reject", "message": "too much"}]'
);
select is(pg_temp.told('d', 'reject', null, null, null), '[{"type": "reject"}]');
select is(
  pg_temp.told('e', 'respond', null, '"ask Bob"', null), '[{"type": "respond", "message": "ask Bob"}]'
);

select * from finish();
rollback;
