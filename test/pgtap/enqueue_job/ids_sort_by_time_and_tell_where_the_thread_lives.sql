begin;
\ir ../_lib.sql
select plan(3);

select job_id as first from pgagent.enqueue_job('t', '1') \gset
select pgagent_test.advance('1 ms');
select job_id as second from pgagent.enqueue_job('u', '2') \gset

select cmp_ok(:'first'::uuid, '<', :'second'::uuid);
select matches(:'first'::text, '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]');
select is(right(:'first', 4), left(encode(sha256('t'), 'hex'), 4));

select * from finish();
rollback;
