begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t', 'alice');
select become('none');
set session authorization t_tenant;

select throws_ok($$select pgagent.append_event('t', 'x')$$, 'PA011');
set session authorization default;
set session authorization t_worker;
select lives_ok($$select pgagent.append_event('t', 'x')$$);

select * from finish();
rollback;
