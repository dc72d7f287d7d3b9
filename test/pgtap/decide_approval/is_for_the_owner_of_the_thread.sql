begin;
\ir ../_lib.sql
select plan(5);

select pgagent.create_session('t', 'alice');
select pg_temp.pause('t');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select throws_ok($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$, 'PA011');
select is_empty('select * from pgagent.pending_approvals');
select is_empty($$select * from pgagent.get_approval(pg_temp.approval('t'))$$);
set local pgagent.user_id = 'alice';
select isnt_empty('select * from pgagent.pending_approvals');
select is(
  (select decider from pgagent.decide_approval(pg_temp.approval('t'), 'approve')), 'alice'
);

select * from finish();
rollback;
