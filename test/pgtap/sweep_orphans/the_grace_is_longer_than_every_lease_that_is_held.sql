begin;
\ir ../_lib.sql
select plan(4);

select pgagent.start_run('t', 'w1', lease => '2 hours');
select pgagent.start_run('u', 'w1', lease => '1 min');

select throws_ok(
  $$select pgagent.sweep_orphans('2 hours')$$, 'PA008',
  'grace must be longer than the longest lease that is held'
);
select lives_ok($$select pgagent.sweep_orphans('2 hours 1 s')$$);
select pgagent.complete_job(pg_temp.job('t'), 1);
select lives_ok($$select pgagent.sweep_orphans('61 s')$$, 'when the long one is over');
select throws_ok($$select pgagent.sweep_orphans('60 s')$$, 'PA008');

select * from finish();
rollback;
