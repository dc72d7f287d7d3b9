begin;
\ir ../_lib.sql
select plan(2);

select become('t_admin');
select throws_ok($$select pgagent.grant_access('t_stranger', 'reader')$$, '42501');
reset role;
grant execute on all functions in schema pgagent to t_admin;
select become('t_admin');
select throws_ok($$select pgagent.grant_access('t_stranger', 'reader')$$, 'PA011');

select * from finish();
rollback;
