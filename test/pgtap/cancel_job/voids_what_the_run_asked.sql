begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t');
select pgagent.cancel_job(pg_temp.job('t'));

select is((select status from pgagent.approvals), 'CANCELLED' collate "C");
select is_empty('select * from pgagent.pending_approvals');
select throws_ok($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$, 'PA005');

select * from finish();
rollback;
