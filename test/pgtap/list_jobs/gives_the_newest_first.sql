begin;
\ir ../_lib.sql
select plan(6);

select pgagent.enqueue_job('t', '1', queue => 'a');
select pgagent.enqueue_job('t', '2', queue => 'b');
select pgagent.enqueue_job('u', '3', queue => 'a');
select pgagent.cancel_job(pg_temp.job('u'));
create function pg_temp.listed(arguments text) returns text[]
language plpgsql volatile
as $$
declare
  v_found text[];
begin
  execute format(
    'select array_agg(thread || '' '' || job_status) from pgagent.list_jobs(%s)', arguments
  ) into v_found;
  return v_found;
end
$$;

select is(pg_temp.listed(''), '{u CANCELLED,t WAITING,t PENDING}');
select is(pg_temp.listed('queue => ''a'''), '{u CANCELLED,t PENDING}');
select is(pg_temp.listed('status => ''WAITING'''), '{t WAITING}');
select is(pg_temp.listed('thread_id => ''t'''), '{t WAITING,t PENDING}');
select is(pg_temp.listed('max_jobs => 1'), '{u CANCELLED}');
select is(
  pg_temp.listed('before_job => pg_temp.job(''u''), max_jobs => 1'), '{t WAITING}', 'the next page'
);

select * from finish();
rollback;
