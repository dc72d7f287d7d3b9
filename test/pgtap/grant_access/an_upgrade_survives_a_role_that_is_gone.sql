begin;
\ir ../_lib.sql
select plan(1);

create role t_gone;
select pgagent.grant_access('t_gone', 'reader');
reassign owned by t_gone to current_user;
drop owned by t_gone;
drop role t_gone;

select lives_ok('select pgagent._regrant()');

select * from finish();
rollback;
