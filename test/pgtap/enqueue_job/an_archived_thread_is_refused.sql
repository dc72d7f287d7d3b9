begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
update pgagent.agent_sessions set status = 'ARCHIVED';

select throws_ok($$select pgagent.enqueue_job('t', '{}')$$, 'PA006');
select throws_ok($$select pgagent.enqueue_job('t', '{}', idempotency_key => 'k')$$, 'PA006');

select * from finish();
rollback;
