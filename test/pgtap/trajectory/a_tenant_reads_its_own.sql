begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select pgagent.append_message('t', 'user', '"a"');

set local role t_tenant;
set local pgagent.user_id = 'bob';
select is_empty($$select * from pgagent.trajectory('t')$$);
set local pgagent.user_id = 'alice';
select isnt_empty($$select * from pgagent.trajectory('t')$$);

reset role;
select * from finish();
rollback;
