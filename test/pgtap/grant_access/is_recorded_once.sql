begin;
\ir ../_lib.sql
select plan(3);

create role "t Other's";
select pgagent.grant_access('t Other''s', 'reader') as first \gset

select is(pgagent.grant_access('t Other''s', 'reader'), :'first'::bigint);
select results_eq(
  $$
    select kind, granted_by = session_user from pgagent.access_grants where grantee = 't Other''s'
  $$,
  $$values ('reader' collate "C", true)$$
);
select ok(has_function_privilege('t Other''s', 'pgagent.version()', 'execute'));

select * from finish();
rollback;
