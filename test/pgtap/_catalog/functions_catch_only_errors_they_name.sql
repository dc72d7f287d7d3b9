begin;
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace and p.prosrc ~* 'when\s+others'
$$, 'no body catches whatever comes');
select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace and p.prosrc ~* 'create\s+or\s+replace'
$$, 'and none takes over an object that somebody else made');

select * from finish();
rollback;
