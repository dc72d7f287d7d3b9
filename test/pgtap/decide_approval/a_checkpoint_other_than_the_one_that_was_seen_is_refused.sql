begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t');

select throws_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'approve', checkpoint_id => 'c0')$$,
  'PA012'
);
select lives_ok(
  $$select pgagent.decide_approval(pg_temp.approval('t'), 'approve', checkpoint_id => 'c1')$$
);

select * from finish();
rollback;
