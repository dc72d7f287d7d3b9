begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
update pgagent.agent_sessions set status = 'ARCHIVED';

select throws_ok($$select pg_temp.put('t', 'c1')$$, 'PA006');
select throws_ok($$select pg_temp.put('t', 'c1', seen => 0)$$, 'PA006');

select * from finish();
rollback;
