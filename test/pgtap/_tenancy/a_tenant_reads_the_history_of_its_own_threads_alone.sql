begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(18);

select pg_temp.busy_thread('t', 'alice');
select pg_temp.put('t', 'c0', 2, parent => 'c1');
create function pg_temp.reads() returns setof text
language sql immutable
as $$
  values
  ('checkpoint_history(''t'')'), ('checkpoint_history(''t'', '''', ''c1'')'),
  ('checkpoint_descendants(''t'', '''', ''c1'')'), ('checkpoint_at(''t'', ''infinity'')'),
  ('checkpoints_between(''t'')'), ('checkpoints_between()'), ('checkpoint_namespaces(''t'')'),
  ('checkpoint_sizes(''t'', '''', ''{c1}'')'), ('session_timeline(''t'')')
$$;
select become('t_tenant');

set local pgagent.user_id = 'bob';
select is_empty('select * from pgagent.' || r, r) from pg_temp.reads() as r;
set local pgagent.user_id = 'alice';
select isnt_empty('select * from pgagent.' || r, r) from pg_temp.reads() as r;

select * from finish();
rollback;
