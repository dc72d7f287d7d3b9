-- It waits for its retry, or for a person, and other work of the thread must not come in between.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select pgagent.fail_job(pg_temp.job('t'), 1, '"x"', retry_in => '1 hour');
select is((select status from pgagent.enqueue_job('t', '{}')), 'WAITING', 'a retry');
select pg_temp.run('u');
select pgagent.release_job(pg_temp.job('u'), 1, '1 hour');
select is((select status from pgagent.enqueue_job('u', '{}')), 'WAITING', 'released');
select pg_temp.run('v');
select pgagent.pause_job(pg_temp.job('v'), 1, '{"q": 1}');
select is((select status from pgagent.enqueue_job('v', '{}')), 'WAITING', 'paused');

select * from finish();
rollback;
