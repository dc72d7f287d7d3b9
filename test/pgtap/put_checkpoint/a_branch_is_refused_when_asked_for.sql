-- One that is stored again is none, and one of source fork or update is made on purpose.
begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.reject(id text, parent text, source text default 'loop', ns text default '')
returns bigint
language sql volatile
as $$
  select pgagent.put_checkpoint(jsonb_build_object(
    'thread_id', 't', 'checkpoint_ns', ns, 'checkpoint_id', id, 'parent_checkpoint_id', parent,
    'checkpoint', '{}'::jsonb, 'metadata', jsonb_build_object('source', source),
    'channels', '[]'::jsonb, 'on_fork', 'reject'
  ))
$$;
select pg_temp.reject('c1', null);
select pg_temp.reject('c2', 'c1');

select throws_ok($$select pg_temp.reject('c3', 'c1')$$, 'PA012');
select throws_ok($$select pg_temp.reject('c3', null)$$, 'PA012', null, 'a new beginning too');
select lives_ok($$select pg_temp.reject('c2', 'c1')$$, 'again');
select lives_ok($$select pg_temp.reject('s1', null, ns => 'sub')$$, 'the first of a namespace');
select lives_ok($$select pg_temp.reject('c4', 'c1', 'fork')$$, 'on purpose');
select results_eq(
  'select checkpoint_id, passed_by, is_deliberate from pgagent.forks',
  $$values ('c4' collate "C", 'c2' collate "C", true)$$
);

select * from finish();
rollback;
