begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(2);

create function pg_temp.rows() returns bigint
language sql volatile
as $$
  select
    (select count(*) from pgagent.session_events) + (select count(*) from pgagent.agent_jobs)
    + (select count(*) from pgagent.checkpoints) + (select count(*) from pgagent.tool_calls)
$$;
select pg_temp.busy_thread('t');
select pg_temp.rows() as before \gset

savepoint before;
select pgagent.delete_session('t');
select is(pg_temp.rows(), 0::bigint);
rollback to before;
select is(pg_temp.rows(), :'before'::bigint);

select * from finish();
rollback;
