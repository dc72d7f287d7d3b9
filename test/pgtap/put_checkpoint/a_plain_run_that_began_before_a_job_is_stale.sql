-- It read the thread, a job ran meanwhile, and now it would write on top of that.
begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.run('t');
select throws_ok(
  $$select pg_temp.put('t', 'c2', seen => 0)$$, 'PA001', null, 'busy while the job runs'
);
select pgagent.complete_job(pg_temp.job('t'), 1);
select throws_ok($$select pg_temp.put('t', 'c2', seen => 0)$$, 'PA002', null, 'stale afterwards');
select throws_ok($$select pg_temp.put('t', 'c2', seen => 7)$$, 'PA002', null, 'never seen');

select * from finish();
rollback;
