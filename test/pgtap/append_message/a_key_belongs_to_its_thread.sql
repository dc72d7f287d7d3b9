-- Another thread that uses the key gets a row of its own, and not the message of the first.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t', 'alice');
select pgagent.create_session('u', 'bob');
select pgagent.append_message('t', 'user', '"the secret of alice"', idempotency_key => 'k');
select become('t_tenant');
set local pgagent.user_id = 'bob';

select results_eq(
  $$select seq, appended from pgagent.append_message('u', 'user', '"x"', idempotency_key => 'k')$$,
  $$values (1::bigint, true)$$
);

select * from finish();
rollback;
