begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c1');
select pgagent.request_approval('t', 'k', 'pay', timeout => '1 hour');
select isnt_empty('select * from pgagent.pending_approvals');
select results_eq(
  $$
    select status, open_questions, job_status
    from pgagent.decide_approval(pg_temp.approval('t'), 'approve')
  $$,
  $$values ('APPROVED', 0::bigint, null::text)$$
);
select is(
  (select decision from pgagent.request_approval('t', 'k', 'pay')), '{"type": "approve"}'::jsonb
);

select pgagent.request_approval('t', 'l', 'pay', timeout => '1 hour');
select pgagent_test.advance('2 hours');
select is(
  (select decision from pgagent.request_approval('t', 'l', 'pay')), '{"type": "timed_out"}'::jsonb
);

select * from finish();
rollback;
