begin;
\ir ../_lib.sql
select plan(8);

select pgagent.enqueue_job('t', '{}');
select pgagent.cancel_job(pg_temp.job('t'));
create function pg_temp.requeue(arguments text) returns text
language sql volatile
as $$select format('select pgagent.requeue_job(pg_temp.job(''t''), %s)', arguments)$$;

select throws_ok('select pgagent.requeue_job(null)', 'PA008');
select throws_ok('select pgagent.requeue_job(gen_random_uuid())', 'PA003');
select throws_ok(pg_temp.requeue('reason => repeat(''x'', 1001)'), 'PA009');
select throws_ok(pg_temp.requeue('requeued_by => '''''), 'PA008');
select throws_ok(pg_temp.requeue('delay => ''-1 s'''), 'PA008');
select throws_ok(pg_temp.requeue('max_attempts => 0'), 'PA008');
select throws_ok(pg_temp.requeue('from_start => null'), 'PA008');
update pgagent.agent_sessions set status = 'ARCHIVED', completed_at = null;
select throws_ok('select pgagent.requeue_job(pg_temp.job(''t''))', 'PA006');

select * from finish();
rollback;
