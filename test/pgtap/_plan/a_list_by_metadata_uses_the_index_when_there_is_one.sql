-- Of 100,000 checkpoints, for a worker and for a tenant; the index is off until it is asked for.
begin;
\ir _rows.sql
select plan(7);

select pgagent.create_session('t'), pgagent.create_session('mine', 'user-7');
select pg_temp.put('mine', 'first');
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();
update pgagent.checkpoints set metadata = metadata || '{"customer": "c1"}'
where thread_id = 'mine' or checkpoint_id in ('c7', 'c60000');
create function pg_temp.list() returns text
language sql immutable
as $$
  select 'select * from pgagent.list_checkpoints(filter => ''{"customer": "c1"}'')'
$$;

select is(
  to_regclass('pgagent.checkpoints_metadata_idx'), null::regclass, 'there is none at first'
);
select replace(s.statement, ' concurrently', '') as statement
from pgagent.enable_metadata_index() as s (statement) \gexec
analyze pgagent.checkpoints, pgagent.agent_sessions;

-- The first call of a role reads the catalog.
select become('t_worker');
select pg_temp.buffers(pg_temp.list());
select cmp_ok(pg_temp.buffers(pg_temp.list()), '<', 200::bigint, 'buffers, for a worker');
select results_eq(
  $$select x.id from pgagent.list_checkpoints(filter => '{"customer": "c1"}') as x
    where x.kind = 'checkpoint' order by 1$$,
  array['c60000', 'c7', 'first']
);
select results_eq(
  $$select x.id from pgagent.list_checkpoints(filter => '{"customer": "c1"}', max_rows => 1) as x
    where x.kind = 'checkpoint'$$,
  array['first'], 'the newest'
);

reset role;
select become('t_tenant');
set local pgagent.user_id = 'user-7';
select pg_temp.buffers(pg_temp.list());
select cmp_ok(pg_temp.buffers(pg_temp.list()), '<', 200::bigint, 'buffers, for a tenant');
select cmp_ok(pg_temp.rows_read(pg_temp.list()), '<', 40::bigint, 'rows, for a tenant');
select results_eq(
  $$select x.id from pgagent.list_checkpoints(filter => '{"customer": "c1"}') as x
    where x.kind = 'checkpoint' order by 1$$,
  array['first'], 'its own'
);

select * from finish();
rollback;
