begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
select pgagent.delete_session('t');
select fencing_token as token from pgagent.agent_sessions \gset

select is(pgagent.delete_session('t'), false);
select is((select fencing_token from pgagent.agent_sessions), :'token'::bigint);

select * from finish();
rollback;
