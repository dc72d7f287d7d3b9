begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pgagent.request_approval('t', 'k', 'pay', '{"amount": 10}', fencing_token => 1);

select throws_ok(
  $$select pgagent.request_approval('t', 'k', 'pay', '{"amount": 9999}', fencing_token => 1)$$,
  'PA004'
);
select throws_ok(
  $$select pgagent.request_approval('t', 'k', 'mail', '{"amount": 10}', fencing_token => 1)$$,
  'PA004'
);
select lives_ok(
  $$select pgagent.request_approval('t', 'k', 'pay', '{"amount": 10}', fencing_token => 1)$$
);
select is((select count(*) from pgagent.approvals), 1::bigint);

select * from finish();
rollback;
