begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c1');
select is(pg_temp.put('t', 'c2', seen => 0), 2::bigint);
select pg_temp.run('t');
select pgagent.complete_job(pg_temp.job('t'), 1);
select is(pg_temp.put('t', 'c3', seen => 1), 3::bigint);
select is(pg_temp.put('t', 'c4'), 4::bigint, 'or one that never looked');
select is(
  pgagent.put_checkpoint('{
    "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c5", "checkpoint": {}, "metadata": {},
    "channels": [], "seen_token": 1.0
  }'), 5::bigint, 'or that writes its count with a point'
);

select * from finish();
rollback;
