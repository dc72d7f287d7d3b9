-- What is due behind that is found by the next look from the start, a second later.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.enqueue_job('t' || n, '1') from generate_series(1, 4) as n;
select is(pg_temp.next(), 't1');
update pgagent.agent_jobs set available_at = available_at - interval '1 min' where thread_id = 't4';
select is(pg_temp.next(), 't2');
select pgagent_test.advance('1 s');
select is(pg_temp.next(), 't4');
select is(pg_temp.next(), 't3');

select * from finish();
rollback;
