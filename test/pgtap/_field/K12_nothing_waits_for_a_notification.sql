-- NOTIFY takes a lock over the whole server at commit: one function alone sends, and only when the
-- site asked for it.
begin;
\ir ../_lib.sql
select plan(3);

select set_eq(
  $$
    select p.proname::text
    from pg_proc as p
    where p.pronamespace = 'pgagent'::regnamespace
      and coalesce(p.prosrc, '') || coalesce(pg_get_function_sqlbody(p.oid), '')
        ~* '(\mpg_notify\M|\mnotify\M\s+\w+\s*[,;])'
  $$,
  '{_wake}'::text[]
);
select is(pgagent._setting('notify'), 'off', 'by default it does not');
select pgagent.enqueue_job('t', '{}');
select is((select thread_id from pgagent.claim_job('w1')), 't', 'polling finds it');

select * from finish();
rollback;
