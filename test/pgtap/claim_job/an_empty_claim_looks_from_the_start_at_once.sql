-- But not within a tenth of a second after the last look.
begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('t1', '1');
select pgagent.enqueue_job('t2', '1', delay => '1 us');
select is(pg_temp.next(), 't1');
update pgagent.agent_jobs set available_at = available_at - interval '1 min' where thread_id = 't2';
-- As if that look had ended now.
do $$
begin
  perform set_config(
    'pgagent._claims',
    regexp_replace(
      current_setting('pgagent._claims'), '\d+,\d+;$',
      (extract(epoch from pgagent._now()) * 1000000)::bigint || ',0;'
    ), false
  );
end
$$;
select pgagent_test.advance('50 ms');
select is(pg_temp.next(), null);
select pgagent_test.advance('50 ms');
select is(pg_temp.next(), 't2');

select * from finish();
rollback;
