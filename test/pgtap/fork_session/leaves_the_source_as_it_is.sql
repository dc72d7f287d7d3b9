-- Every row of it, in every table.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t', 'alice', '{"model": "m"}', '{"title": "x"}');
select pgagent.append_message('t', 'user', '"hello"');
select pg_temp.put_value('t', 'c1', 'a', '1', 'one');
select pg_temp.put('t', 'c2', step => 1, parent => 'c1');
select pg_temp.put_write('t', 'c2', 'task', 0, 'x');
select pgagent.enqueue_job('t', '{}');
create function pg_temp.rows() returns text
language plpgsql volatile security definer
as $$
declare
  v_table regclass;
  v_found text;
  v_all text := '';
begin
  for v_table in
    select t.relation from pgagent._thread_tables() as t
    union all
    select 'pgagent.agent_sessions'
  loop
    execute format(
      'select string_agg(x::text, '','' order by x::text) from %s as x where thread_id = ''t''',
      v_table
    ) into v_found;
    v_all := v_all || v_table || ': ' || coalesce(v_found, '') || e'\n';
  end loop;
  return v_all;
end
$$;
select pg_temp.rows() as before \gset

select pgagent.fork_session('t', 'c1', 'old');
select pgagent.fork_session('t', null, 'new');
select is(pg_temp.rows(), :'before');
select results_eq(
  $$
    select s.thread_id, s.user_id, s.config, s.metadata, s.fencing_token, s.active_job_id
    from pgagent.sessions as s where s.thread_id <> 't' order by 1
  $$,
  $$
    values
    (
      'new' collate "C", 'alice' collate "C", '{"model": "m"}'::jsonb,
      '{"title": "x"}'::jsonb, 0::bigint, null::uuid
    ),
    ('old', 'alice', '{"model": "m"}', '{"title": "x"}', 0, null)
  $$, 'owner and settings go with it, the token and the job do not'
);
select results_eq(
  $$
    select e.seq, e.kind, e.data from pgagent.session_events as e where e.thread_id = 'old'
  $$,
  $$
    values (
      1::bigint, 'session_forked' collate "C", '{"thread_id": "t", "checkpoint_id": "c1"}'::jsonb
    )
  $$, 'it knows where it comes from'
);

select * from finish();
rollback;
