begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1);

select throws_ok($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$, 'PA005');
select is_empty('select * from pgagent.pending_approvals');

select * from finish();
rollback;
