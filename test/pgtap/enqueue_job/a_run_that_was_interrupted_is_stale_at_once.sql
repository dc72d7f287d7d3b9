begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.run('t');
select pg_temp.job('t') as old \gset
select pgagent.enqueue_job('t', '2', on_busy => 'interrupt');

select throws_ok($$select pgagent.append_event('t', 'late', null, 1)$$, 'PA002');
select throws_ok($$select pg_temp.put('t', 'c1', 1)$$, 'PA002');
select throws_ok(format('select pgagent.renew_lease(%L, 1)', :'old'), 'PA002');
select is(
  (select outcome || ' ' || job_status from pgagent.job_attempts), 'cancelled CANCELLED'
);
select is(
  pgagent.complete_job(:'old', 1), 'CANCELLED', 'its last word is answered with how it ended'
);
select is(
  (select data ->> 'reason' from pgagent.session_events where kind = 'job_cancelled'),
  'interrupted by job ' || pg_temp.job('t')
);

select * from finish();
rollback;
