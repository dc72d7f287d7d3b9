begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.ask(thread text) returns void
language plpgsql volatile
as $$
begin
  perform pg_temp.run(thread);
  perform pgagent.pause_job(
    pg_temp.job(thread), 1,
    '{"q": {
      "type": "tool_approval", "tool_call_id": "c1", "name": "pay", "args": {"amount": 10},
      "description": ""
    }}',
    response_schemas => '{"q": {
      "$defs": {
        "Approve": {
          "type": "object", "properties": {"type": {"const": "approve"}}, "required": ["type"]
        },
        "Edit": {
          "type": "object", "required": ["type", "edited_action"],
          "properties": {
            "type": {"const": "edit"},
            "edited_action": {
              "type": "object", "required": ["name", "args"], "properties": {
                "name": {"const": "pay"}, "args": {"properties": {"amount": {"type": "integer"}}}
              }
            }
          }
        }
      },
      "oneOf": [{"$ref": "#/$defs/Approve"}, {"$ref": "#/$defs/Edit"}]
    }}'
  );
end
$$;
select pg_temp.ask('a'), pg_temp.ask('b');

select is(
  (select allowed from pgagent.get_approval(pg_temp.approval('a'))), '{approve,edit}'::text[]
);
select throws_ok(
  $$
    select pgagent.decide_approval(pg_temp.approval('a'), 'edit', '{"args": {"amount": "x"}}')
  $$, 'PA008'
);
select throws_ok($$select pgagent.decide_approval(pg_temp.approval('a'), 'reject')$$, 'PA008');
select throws_ok($$select pgagent.resume_job(pg_temp.job('a'), '{"q": true}')$$, 'PA008');
select pgagent.decide_approval(pg_temp.approval('a'), 'edit', '{"args": {"amount": 5}}');
select pgagent.resume_job(pg_temp.job('b'), '{"q": {"type": "approve"}}');
select results_eq(
  'select resume from pgagent.agent_jobs order by thread_id',
  $$
    values
    ('{"q": {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 5}}}}'::jsonb),
    ('{"q": {"type": "approve"}}')
  $$
);
select is(
  (select status from pgagent.get_approval(pg_temp.approval('b'))), 'APPROVED'
);

select * from finish();
rollback;
