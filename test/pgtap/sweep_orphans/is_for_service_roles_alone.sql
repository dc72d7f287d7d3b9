begin;
\ir ../_lib.sql
select plan(4);

select become('t_worker');
select lives_ok('select pgagent.sweep_orphans()', 'a worker');
reset role;
select become('t_admin');
select lives_ok('select pgagent.sweep_orphans()', 'an admin');
reset role;
select become('t_tenant');
select throws_ok('select pgagent.sweep_orphans()', '42501', null, 'a tenant');
reset role;
grant execute on function pgagent.sweep_orphans to t_stranger;
grant usage on schema pgagent to t_stranger;
select become('t_stranger');
select throws_ok('select pgagent.sweep_orphans()', 'PA011', null, 'a grant by hand');
reset role;

select * from finish();
rollback;
