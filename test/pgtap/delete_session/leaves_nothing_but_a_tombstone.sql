-- The tables are read from the catalog: a new one cannot be forgotten.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(4);

create function pg_temp.tables_with_rows(thread text) returns setof text
language plpgsql volatile
as $$
declare
  v_table regclass;
  v_found boolean;
begin
  for v_table in
    select a.attrelid::regclass
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    where a.attname = 'thread_id' and c.relkind = 'r' and c.relnamespace = 'pgagent'::regnamespace
  loop
    execute format('select exists (select from %s where thread_id = $1)', v_table)
    into v_found using thread;
    if v_found then
      return next v_table::text;
    end if;
  end loop;
end
$$;
select pg_temp.busy_thread('t');
select pgagent.record_summary('t', 1, '"x"', 2);
select pgagent.record_usage('t', 'u', 1, fencing_token => 2);
select pg_temp.put_write('t', 'c1', 'a', 0, 'v', 2);
insert into pgagent.checkpoint_blobs values ('t', '', 'c', '1', 'text', 'x');
insert into pgagent.checkpoint_items values ('t', '', 'c', 1, 'text', 'x');
select bag_eq(
  $$select pg_temp.tables_with_rows('t')$$,
  $$
    select relation::text from pgagent._thread_tables()
    union all
    select 'pgagent.agent_sessions'
  $$, 'before, there are rows in every table'
);

select is(pgagent.delete_session('t'), true);
select results_eq(
  $$select pg_temp.tables_with_rows('t')$$, array['pgagent.agent_sessions'], 'after, the tombstone'
);
select results_eq(
  $$
    select status, active_job_id, owner_token, head_checkpoint_id, deleted_at is not null
    from pgagent.agent_sessions
  $$,
  $$values ('DELETED' collate "C", null::uuid, null::bigint, null::text collate "C", true)$$
);

select * from finish();
rollback;
