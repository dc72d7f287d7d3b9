begin;
\ir ../_lib.sql
select plan(4);

select become('t_admin');
select is(pgagent.set_setting('retry_base', '7 s'), '7 s', 'an admin');
select become('t_worker');
select throws_ok($$select pgagent.set_setting('retry_base', '9 s')$$, '42501', null, 'a worker');
select become('t_tenant');
select throws_ok($$select pgagent.set_setting('retry_base', '9 s')$$, '42501', null, 'a tenant');
reset role;
grant usage on schema pgagent to t_stranger;
grant execute on function pgagent.set_setting to t_stranger;
select become('t_stranger');
select throws_ok(
  $$select pgagent.set_setting('retry_base', '9 s')$$, 'PA011', null, 'a grant by hand'
);

select * from finish();
rollback;
