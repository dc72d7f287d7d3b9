begin;
\ir ../_lib.sql
select plan(2);

select throws_ok(
  $$
    select pgagent.put_checkpoint(jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'channels', '[]'::jsonb,
      'checkpoint', jsonb_build_object('x', repeat('x', 16777216)), 'metadata', '{}'::jsonb
    ))
  $$, 'PA009'
);
select throws_ok(
  $$
    select pgagent.put_checkpoint(jsonb_build_object(
      'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c1', 'channels', '[]'::jsonb,
      'metadata', jsonb_build_object('x', repeat('x', 16777216)), 'checkpoint', '{}'::jsonb
    ))
  $$, 'PA009'
);

select * from finish();
rollback;
