begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select throws_ok(
  $$select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1, step_id => 'c1')$$,
  'PA007'
);
select pg_temp.put('t', 'c1', 1);
select lives_ok(
  $$select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1, step_id => 'c1')$$
);

select * from finish();
rollback;
