-- Keys and predicates alike: each such update would write every index of the table again.
begin;
select plan(1);

select is_empty($$
  select i.indexrelid::regclass, a.attname
  from pg_index as i
  join pg_depend as d
    on d.classid = 'pg_class'::regclass
    and d.objid = i.indexrelid
    and d.refobjid = i.indrelid
    and d.refobjsubid > 0
  join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
  where i.indrelid = 'pgagent.agent_sessions'::regclass
    and a.attname in (
      'status', 'head_checkpoint_id', 'active_job_id', 'fencing_token', 'owner_token',
      'progress_step', 'last_message_seq', 'last_event_seq', 'last_job_seq', 'last_checkpoint_seq',
      'last_activity_at', 'completed_at'
    )
$$);

select * from finish();
rollback;
