begin;
\ir ../_lib.sql
select plan(5);

select is_empty('select * from pgagent.queue_stats()', 'no queue has a live job');
select pgagent.enqueue_job('r' || n, '{}', priority => n) from generate_series(1, 3) as n;
select pgagent.enqueue_job('r1', '{}');
select pgagent.enqueue_job('later', '{}', delay => '1 h', priority => 9);
select pg_temp.run('running');
select fencing_token from pgagent.start_run('expired', 'w1', lease => '1 s');
select fencing_token from pgagent.start_run('paused', 'w1', queue => 'people');
select pgagent.pause_job(pg_temp.job('paused'), 1, '{"q": 1}');
select pgagent.enqueue_job('done', '{}', queue => 'done');
select pgagent.cancel_job(pg_temp.job('done'));
select pgagent_test.advance('20 s');

select results_eq(
  $$
    select queue, ready, delayed, running, expired, waiting, awaiting_human,
      date_trunc('second', oldest_due)
    from pgagent.queue_stats()
  $$,
  $$
    values
    ('default', 3::bigint, 1::bigint, 2::bigint, 1::bigint, 1::bigint, 0::bigint,
      interval '20 s'),
    ('people', 0, 0, 0, 0, 0, 1, null)
  $$
);
select results_eq(
  'select ready, running from pgagent.queue_stats(2) where queue = ''default''',
  $$values (2::bigint, 2::bigint)$$, 'counting stops'
);
select become('t_reader');
select is((select ready from pgagent.queue_stats() where queue = 'default'), 3::bigint);
select throws_ok('select * from pgagent.queue_stats(0)', 'PA008');

select * from finish();
rollback;
