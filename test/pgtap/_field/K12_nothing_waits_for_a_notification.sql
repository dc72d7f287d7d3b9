-- NOTIFY takes a lock over the whole server at commit.
begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and coalesce(p.prosrc, '') || coalesce(pg_get_function_sqlbody(p.oid), '') ~* '\mnotify\M'
$$);
select pgagent.enqueue_job('t', '{}');
select is((select thread_id from pgagent.claim_job('w1')), 't', 'polling finds it');

select * from finish();
rollback;
