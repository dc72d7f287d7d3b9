begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1, timeout => '1 hour');
select pgagent.pause_job(
  pg_temp.job('t'), 1,
  (select jsonb_build_object('q', question, 'r', 'sure?') from pgagent.approvals)
);
select pgagent_test.advance('2 hours');
select pgagent.expire_approvals();

select set_eq('select status::text from pgagent.approvals', '{TIMED_OUT,CANCELLED}'::text[]);
select is_empty('select * from pgagent.pending_approvals');

select * from finish();
rollback;
