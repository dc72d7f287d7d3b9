begin;
\ir ../_lib.sql
select plan(6);

create function pg_temp.fail() returns trigger
language plpgsql
as $$begin raise 'injected' using errcode = 'XX001'; end$$;
select pg_temp.run('t');
select last_event_seq as before from pgagent.sessions \gset

create trigger a_fails before insert on pgagent.approvals
for each row execute function pg_temp.fail();
select throws_ok($$select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}')$$, 'XX001');
drop trigger a_fails on pgagent.approvals;
create trigger e_fails before insert on pgagent.session_events
for each row when (new.kind = 'pending_approval') execute function pg_temp.fail();
select throws_ok($$select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}')$$, 'XX001');

select results_eq(
  'select status, owner_token, last_event_seq from pgagent.sessions',
  format($$values ('RUNNING' collate "C", 1::bigint, %s::bigint)$$, :before)
);
select is_empty('select * from pgagent.approvals');
select is(pg_temp.status_of('t'), 'IN_PROGRESS');
drop trigger e_fails on pgagent.session_events;
select is(pgagent.pause_job(pg_temp.job('t'), 1, '{"q": 1}'), 'AWAITING_HUMAN');

select * from finish();
rollback;
