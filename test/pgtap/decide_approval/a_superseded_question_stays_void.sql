begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t');
select pg_temp.put('t', 'c2', null, 'update');
select pgagent.resume_job(pg_temp.job('t'), '{"q": 1}');

select throws_ok($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$, 'PA012');
select is((select status from pgagent.approvals), 'SUPERSEDED' collate "C");
select is_empty('select * from pgagent.pending_approvals');

select * from finish();
rollback;
