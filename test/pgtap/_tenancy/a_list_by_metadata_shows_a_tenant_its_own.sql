-- The function that finds them has the rights of the owner, and may be called by hand.
begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('a', 'alice'), pgagent.create_session('b', 'bob');
select pgagent.create_session('nobody');
select pg_temp.put('a', 'a1'), pg_temp.put('b', 'b1'), pg_temp.put('nobody', 'n1');
create function pg_temp.found() returns text
language sql volatile
as $$
  select string_agg(f.id, ' ' order by f.id)
  from pgagent._with_metadata('{}', null, null, null, null, null) as f
$$;
create function pg_temp.listed() returns text
language sql volatile
as $$
  select string_agg(x.id, ' ' order by x.id)
  from pgagent.list_checkpoints(filter => '{}') as x
  where x.kind = 'checkpoint'
$$;

select become('t_tenant');
select is(pg_temp.found(), null, 'nobody is named');
set local pgagent.user_id = 'alice';
select is(pg_temp.found(), 'a1', 'a tenant, by hand');
select is(pg_temp.listed(), 'a1', 'a tenant');
reset role;
select become('t_reader');
select is(pg_temp.found(), 'a1 b1 n1', 'a reader, by hand');
reset role;
select become('t_worker');
select is(pg_temp.listed(), 'a1 b1 n1', 'a worker');
reset role;
select become('t_stranger');
select throws_ok('select pg_temp.found()', '42501', null, 'a stranger');

select * from finish();
rollback;
