begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.pause('t');
select approval_id as asked from pgagent.approvals \gset
select pgagent.delete_session('t');

select is_empty('select * from pgagent.approvals');
select throws_ok(format('select pgagent.decide_approval(%L, ''approve'')', :'asked'), 'PA003');

select * from finish();
rollback;
