begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t') as token \gset
select pg_temp.put('t', 'c1', :token, source => 'input', step => -1);
select pgagent_test.advance('5 s');
select pgagent.put_checkpoint(
  jsonb_build_object(
    'thread_id', 't', 'checkpoint_ns', '', 'checkpoint_id', 'c2', 'parent_checkpoint_id', 'c1',
    'checkpoint', '{"channel_versions": {}}'::jsonb,
    'metadata', '{"source": "loop", "step": 0, "customer": "x"}'::jsonb, 'channels', '[]'::jsonb
  ), '', :token
);

select results_eq(
  $$
    select h.thread, h.ns, h.id, h.step, h.source, h.metadata ->> 'customer', h.job_id
    from pgagent.checkpoint_history('t') as h
  $$,
  $$
    values
    ('t', '', 'c2', 0, 'loop', 'x', pg_temp.job('t')),
    ('t', '', 'c1', -1, 'input', null, pg_temp.job('t'))
  $$
);
select ok(
  (select max(h.created_at) - min(h.created_at) from pgagent.checkpoint_history('t') as h)
  >= interval '5 s'
);

select * from finish();
rollback;
