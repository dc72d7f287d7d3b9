-- Drives jobs through every move of pgagent.job_moves. A trigger notes the moves as the table sees
-- them; the events of each job must say the same, one a move, in order.
begin;
\ir ../_lib.sql
select plan(4);

create temporary table moves (ordinal bigint generated always as identity, job_id uuid,
  from_status text, to_status text);
create function pg_temp.note() returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    insert into moves (job_id, to_status) values (new.job_id, new.status);
  elsif old.status <> new.status then
    insert into moves (job_id, from_status, to_status) values (new.job_id, old.status, new.status);
  end if;
  return null;
end
$$;
create trigger note after insert or update on pgagent.agent_jobs
for each row execute function pg_temp.note();

create function pg_temp.start(thread text, options text default '') returns uuid
language plpgsql volatile
as $$
declare
  v_job uuid;
begin
  execute format('select job_id from pgagent.start_run(%L, ''w1''%s)', thread, options)
  into v_job;
  return v_job;
end
$$;

-- A thread a line; each makes the moves it is named for.
select pgagent.complete_job(pg_temp.start('completed'), 1);
select pgagent.pause_job(pg_temp.start('paused'), 1, '{"q": 1}');
select pgagent.resume_job(pg_temp.job('paused'), '{"q": 1}');
select pgagent.pause_job(pg_temp.start('undecided'), 1, '{"q": 1}', timeout => '1 hour');
select pgagent.release_job(pg_temp.start('released'), 1);
select pgagent.fail_job(pg_temp.start('retried'), 1, '1');
select pgagent.fail_job(pg_temp.start('failed'), 1, '1', fatal => true);
select pgagent.fail_job(pg_temp.start('late', ', timeout => ''1 s'''), 1, '1', retry_in => '1 hour');
select pgagent.enqueue_job('stepped back', '1', delay => '1 hour');
select pgagent.enqueue_job('stepped back', '2');
select pgagent.cancel_job(pg_temp.job('stepped back'));
select pgagent.enqueue_jobs('[
  {"thread_id": "batch", "payload": 1, "delay": 3600}, {"thread_id": "batch", "payload": 2},
  {"thread_id": "stepped back", "payload": 3}
]');
select pg_temp.start('waiting');
select pgagent.enqueue_job('waiting', '2');
select pgagent.cancel_job(pg_temp.job('waiting'));
select pgagent.enqueue_job('pending', '1');
select pgagent.enqueue_job('pending', '2', on_busy => 'interrupt');
select pgagent.pause_job(pg_temp.start('asks'), 1, '{"q": 1}');
select pgagent.enqueue_job('asks', '2', on_busy => 'rollback');
select pg_temp.start('interrupted');
select pgagent.enqueue_job('interrupted', '2', on_busy => 'interrupt');
select pg_temp.start('rolled back');
select pg_temp.start('rolled back', ', on_busy => ''rollback''');
select pgagent.cancel_job(pg_temp.start('asked'));
select pgagent.release_job(pg_temp.job('asked'), 1);
select pg_temp.start('lost', ', lease => ''1 us''');
select pg_temp.start('dead', ', lease => ''1 us'', max_attempts => 1');
select pg_temp.start('slow step', ', step_timeout => ''1 us''');
select pg_temp.start('slow', ', timeout => ''1 us''');
select pgagent.release_job(pg_temp.start('overdue', ', timeout => ''1 hour'''), 1);
select pgagent.reap_expired();
select pgagent_test.advance('2 hours');
select pgagent.reap_expired();

-- Each end goes on, on a free thread and behind another job.
create function pg_temp.requeue(thread text, behind boolean) returns void
language plpgsql volatile
as $$
begin
  if behind then
    perform pgagent.enqueue_job(thread, '1');
  end if;
  perform pgagent.requeue_job(job_id) from pgagent.agent_jobs where thread_id = thread and seq = 1;
end
$$;
select pgagent.cancel_job(pg_temp.start('gone'), force => true);
select pgagent.cancel_job(pg_temp.start('gone behind'), force => true);
select pgagent.fail_job(pg_temp.start('failed behind'), 1, '1', fatal => true);
select pg_temp.start('slow behind', ', timeout => ''1 us''');
select pgagent.reap_expired();
select pg_temp.requeue(t.thread, t.thread like '%behind')
from unnest('{gone,gone behind,failed,failed behind,slow,slow behind}'::text[]) as t (thread);

create temporary view events as
select *, row_number() over (partition by job_id order by seq) as nth
from pgagent.session_events
where kind like 'job\_%' and kind <> 'job_cancel_requested' or kind = 'delivery_failed';
create temporary view told as
select m.job_id, m.from_status, m.to_status, e.kind as event
from (select *, row_number() over (partition by job_id order by ordinal) as nth from moves) as m
full join events as e on e.job_id = m.job_id and e.nth = m.nth;

select is_empty(
  'select * from told where to_status is null or event is null', 'one event a move'
);
select set_eq(
  'select from_status, to_status, event::text from told',
  'select from_status, to_status, event from pgagent.job_moves', 'and all of them were driven'
);
select is_empty(
  $$
    select j.job_id from pgagent.agent_jobs as j
    where (select count(*) from moves as m where m.job_id = j.job_id and m.to_status = 'IN_PROGRESS')
      <> (select count(*) from pgagent.job_attempts as t where t.job_id = j.job_id)
        + (j.status = 'IN_PROGRESS')::integer
  $$, 'one attempt row a delivery that has ended'
);
select is_empty(
  $$
    select s.thread_id from pgagent.agent_sessions as s
    left join pgagent.session_events as e using (thread_id)
    group by s.thread_id having count(e.seq) <> s.last_event_seq
  $$, 'and no number is missing'
);

select * from finish();
rollback;
