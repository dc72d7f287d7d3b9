-- Released, lost, completed and enqueued again, cancelled by force, deleted and begun anew.
begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.claimed() returns bigint
language sql volatile
as $$select fencing_token from pgagent.claim_job('w1')$$;

select pgagent.enqueue_job('t', '{}');
select is(pg_temp.claimed(), 1::bigint);
select pgagent.release_job(pg_temp.job('t'), 1);
select is(pg_temp.claimed(), 2::bigint, 'released');
select pgagent_test.advance('61 s');
select is(pg_temp.claimed(), 3::bigint, 'lost');
select pgagent.complete_job(pg_temp.job('t'), 3);
select pgagent.enqueue_job('t', '{}');
select is(pg_temp.claimed(), 4::bigint, 'another job');
select pgagent.cancel_job(pg_temp.job('t'), force => true);
select pgagent.enqueue_job('t', '{}');
select is(pg_temp.claimed(), 5::bigint, 'after a cancellation');
select pgagent.delete_session('t');
select pgagent.enqueue_job('t', '{}');
select is(pg_temp.claimed(), 7::bigint, 'a deletion takes a token');

select * from finish();
rollback;
