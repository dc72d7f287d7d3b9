begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select throws_ok($$select pgagent.start_run('t', 'w2')$$, 'PA001', null, 'running');
select pgagent.complete_job(pg_temp.job('t'), 1);
select is((select fencing_token from pgagent.start_run('t', 'w2')), 2::bigint, 'free again');
select pgagent.enqueue_job('u', '{}', delay => '1 hour');
select throws_ok($$select pgagent.start_run('u', 'w2')$$, 'PA001', null, 'a delayed job');

select * from finish();
rollback;
