-- The planner must not turn the two loops round, however many queues there are.
begin;
\ir ../_lib.sql
select plan(3);

create function pg_temp.first_of(queues text[]) returns text
language plpgsql volatile
as $$
declare
  v_thread text;
begin
  perform pgagent.enqueue_job('low', '{}', queue => 'a', priority => 1);
  perform pgagent.enqueue_job('high', '{}', queue => queues[cardinality(queues)], priority => 8);
  select thread_id into v_thread from pgagent.claim_jobs('w1', queues);
  perform pgagent.delete_session('low');
  perform pgagent.delete_session('high');
  return v_thread;
end
$$;

select is(pg_temp.first_of('{a,b}'), 'high');
select is(pg_temp.first_of('{a,b,c,d,e,f,g,h,i,j,k,l}'), 'high');
select is(
  pg_temp.first_of(
    array(select coalesce('q' || nullif(n, 1), 'a') from generate_series(1, 100) as n)
  ), 'high'
);

select * from finish();
rollback;
