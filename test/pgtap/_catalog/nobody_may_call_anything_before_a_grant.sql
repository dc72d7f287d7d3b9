begin;
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
  where p.pronamespace = 'pgagent'::regnamespace and a.grantee = 0
$$, 'functions');
select is_empty($$
  select c.oid::regclass
  from pg_class as c
  cross join lateral aclexplode(c.relacl) as a
  where c.relnamespace = 'pgagent'::regnamespace and a.grantee = 0
$$, 'tables and views');

select * from finish();
rollback;
