-- Each call on a job in each status: where the job is afterwards and how many events say so, or
-- the refusal.
begin;
\ir ../_lib.sql
select plan(123);

create function pg_temp.make(thread text, status text) returns void
language plpgsql volatile
as $$
begin
  if status in ('PENDING', 'CANCELLED') then
    perform pgagent.enqueue_job(thread, '{}');
  else
    perform pgagent.start_run(
      thread, 'w1', timeout => case status when 'TIMED_OUT' then interval '1 us' end
    );
  end if;
  case status
    when 'WAITING' then perform pgagent.enqueue_job(thread, '{}');
    when 'AWAITING_HUMAN' then perform pgagent.pause_job(pg_temp.job(thread), 1, '{"q": 1}');
    when 'COMPLETED' then perform pgagent.complete_job(pg_temp.job(thread), 1);
    when 'FAILED' then perform pgagent.fail_job(pg_temp.job(thread), 1, '1', fatal => true);
    when 'CANCELLED' then perform pgagent.cancel_job(pg_temp.job(thread));
    when 'TIMED_OUT' then perform pgagent.reap_expired();
    else null;
  end case;
end
$$;

-- Makes a job, calls, tells what became of it, and takes everything back.
create function pg_temp.moved(status text, call text) returns text
language plpgsql volatile
as $$
declare
  v_job uuid;
  v_before bigint;
  v_after text;
begin
  begin
    perform pg_temp.make('t', status);
    v_job := pg_temp.job('t');
    select count(*) into v_before from pgagent.session_events where job_id = v_job;
    begin
      execute replace(call, '{job}', quote_literal(v_job));
      select format('%s, %s', j.status, count(*) - v_before) into v_after
      from pgagent.agent_jobs as j
      join pgagent.session_events as e using (job_id)
      where job_id = v_job
      group by j.status;
    exception when others then
      v_after := sqlstate;
    end;
    raise 'undo';
  exception when raise_exception then
    return v_after;
  end;
end
$$;

create temporary table calls (name text, call text);
insert into calls values
('claim', 'select pgagent.claim_job(''w2'')'),
('renew', 'select pgagent.renew_lease({job}, 1)'),
('complete', 'select pgagent.complete_job({job}, 1)'),
('fail', 'select pgagent.fail_job({job}, 1, ''1'')'),
('fatal', 'select pgagent.fail_job({job}, 1, ''1'', fatal => true)'),
('release', 'select pgagent.release_job({job}, 1)'),
('pause', 'select pgagent.pause_job({job}, 1, ''{"q": 1}'')'),
('resume', 'select pgagent.resume_job({job}, ''{"q": 1}'')'),
('cancel', 'select pgagent.cancel_job({job})'),
('force', 'select pgagent.cancel_job({job}, force => true)'),
('requeue', 'select pgagent.requeue_job({job})'),
('interrupt', 'select pgagent.enqueue_job(''t'', ''2'', on_busy => ''interrupt'')'),
('rollback', 'select pgagent.enqueue_job(''t'', ''2'', on_busy => ''rollback'')'),
('reap', 'select pgagent.reap_expired()'),
('expire', 'select pgagent_test.advance(''1 hour''), pgagent.reap_expired()');

create temporary table moves (name text, status text, expected text);
insert into moves
select m.name, s.status, case s.n
  when 1 then m.waiting when 2 then m.pending when 3 then m.running when 4 then m.paused
  when 5 then m.completed when 6 then m.failed when 7 then m.cancelled else m.timed_out
end
from (
  values
  ('claim', 'WAITING, 0', 'IN_PROGRESS, 1', 'IN_PROGRESS, 0', 'AWAITING_HUMAN, 0',
    'COMPLETED, 0', 'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('renew', 'PA002', 'PA002', 'IN_PROGRESS, 0', 'PA002', 'PA002', 'PA002', 'PA002', 'PA002'),
  ('complete', 'PA002', 'PA002', 'COMPLETED, 1', 'PA002', 'COMPLETED, 0', 'PA002', 'PA002',
    'PA002'),
  ('fail', 'PA002', 'PA002', 'PENDING, 1', 'PA002', 'PA002', 'FAILED, 0', 'PA002', 'PA002'),
  ('fatal', 'PA002', 'PA002', 'FAILED, 1', 'PA002', 'PA002', 'FAILED, 0', 'PA002', 'PA002'),
  ('release', 'PA002', 'PA002', 'PENDING, 1', 'PA002', 'PA002', 'PA002', 'PA002', 'PA002'),
  ('pause', 'PA002', 'PA002', 'AWAITING_HUMAN, 2', 'AWAITING_HUMAN, 0', 'PA002', 'PA002', 'PA002',
    'PA002'),
  ('resume', 'PA005', 'PA005', 'PA005', 'PENDING, 2', 'PA005', 'PA005', 'PA005', 'PA005'),
  ('cancel', 'CANCELLED, 1', 'CANCELLED, 1', 'IN_PROGRESS, 1', 'CANCELLED, 1', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('force', 'CANCELLED, 1', 'CANCELLED, 1', 'CANCELLED, 1', 'CANCELLED, 1', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('requeue', 'WAITING, 0', 'PENDING, 0', 'IN_PROGRESS, 0', 'AWAITING_HUMAN, 0', 'PA005',
    'PENDING, 1', 'PENDING, 1', 'PENDING, 1'),
  ('interrupt', 'WAITING, 0', 'CANCELLED, 1', 'CANCELLED, 1', 'CANCELLED, 1', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('rollback', 'WAITING, 0', 'CANCELLED, 1', 'CANCELLED, 1', 'CANCELLED, 1', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('reap', 'WAITING, 0', 'PENDING, 0', 'IN_PROGRESS, 0', 'AWAITING_HUMAN, 0', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0'),
  ('expire', 'WAITING, 0', 'PENDING, 0', 'PENDING, 1', 'AWAITING_HUMAN, 0', 'COMPLETED, 0',
    'FAILED, 0', 'CANCELLED, 0', 'TIMED_OUT, 0')
) as m (name, waiting, pending, running, paused, completed, failed, cancelled, timed_out)
cross join unnest(
  '{WAITING,PENDING,IN_PROGRESS,AWAITING_HUMAN,COMPLETED,FAILED,CANCELLED,TIMED_OUT}'::text[]
) with ordinality as s (status, n);

select is(pg_temp.moved(m.status, c.call), m.expected, m.status || ': ' || m.name)
from moves as m
join calls as c using (name);
select is((select count(distinct status) from moves), 8::bigint);
select set_eq('select name from moves', 'select name from calls');
select is_empty('select * from pgagent.agent_sessions', 'all of it was taken back');

select * from finish();
rollback;
