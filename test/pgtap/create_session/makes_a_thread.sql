begin;
\ir ../_lib.sql
select plan(2);

select results_eq(
  $$
    select thread, created from pgagent.create_session(
      't', 'alice', config => '{"model": "m"}', metadata => '{"title": "hello"}'
    )
  $$,
  $$values ('t', true)$$
);
select results_eq(
  $$select user_id, status, config, metadata, head_checkpoint_id from pgagent.sessions$$,
  $$
    values (
      'alice' collate "C", 'IDLE' collate "C", '{"model": "m"}'::jsonb,
      '{"title": "hello"}'::jsonb, null::text collate "C"
    )
  $$
);

select * from finish();
rollback;
