begin;
select plan(3);

select is_empty($$
  select p.proname
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and p.proname not like '\_%'
    and (select count(*) from pgagent.privileges as l where l.routine = p.oid::regprocedure) <> 1
$$, 'once each');
select is_empty($$
  select l.routine from pgagent.privileges as l group by l.routine having count(*) > 1
$$, 'and no private one twice');
select is_empty($$
  select p.proname
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
  group by p.proname
  having count(*) > 1
$$, 'no name has two functions, or a grant by name would reach both');

select * from finish();
rollback;
