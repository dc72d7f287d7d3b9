begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session(t.id, t.owner)
from (values ('a1', 'a'), ('a2', 'a'), ('b1', 'b'), ('n1', null), ('n2', null)) as t (id, owner);
select pgagent.enqueue_job(id, '1') from unnest('{a1,a2,b1,n1,n2}'::text[]) as t (id);
select pgagent.limit_queue('default', max_running_per_user => 1);

select is(pg_temp.next(), 'a1');
select is(pg_temp.next(), 'b1', 'an owner without a place is passed by');
select results_eq(
  $$select thread_id from pgagent.claim_jobs('w1', max_jobs => 5)$$, '{n1,n2}'::text[],
  'threads without an owner have no limit'
);
select pgagent.complete_job(pg_temp.job('a1'), 1);
select pgagent_test.advance('1 s');
select is(pg_temp.next(), 'a2', 'the next one of the owner, when the queue is looked through again');
select is(pg_temp.next(), null);

select * from finish();
rollback;
