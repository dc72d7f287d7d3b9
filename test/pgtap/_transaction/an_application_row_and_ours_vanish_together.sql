-- Message, event, checkpoint, job and a row of the application: one transaction boundary.
begin;
\ir ../_lib.sql
select plan(2);

create table public.refunds (thread_id text);
create function pg_temp.counts() returns text
language sql volatile
as $$
  select format(
    '%s %s %s %s %s', (select count(*) from public.refunds),
    (select count(*) from pgagent.session_messages),
    (select count(*) from pgagent.session_events),
    (select count(*) from pgagent.checkpoints),
    (select status from pgagent.agent_jobs)
  )
$$;
create function pg_temp.work() returns void
language plpgsql volatile
as $$
begin
  insert into public.refunds values ('t');
  perform pgagent.append_message('t', 'assistant', '"x"', 1);
  perform pgagent.append_event('t', 'refunded', null, 1);
  perform pg_temp.put('t', 'c1', 1);
  perform pgagent.complete_job(pg_temp.job('t'), 1);
end
$$;
select pg_temp.run('t');

savepoint before;
select pg_temp.work();
rollback to before;
select is(pg_temp.counts(), '0 0 2 0 IN_PROGRESS', 'rolled back');
select pg_temp.work();
select is(pg_temp.counts(), '1 1 4 1 COMPLETED', 'kept');

select * from finish();
rollback;
