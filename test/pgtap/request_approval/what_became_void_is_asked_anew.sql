begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.request_approval('t', 'k', 'pay', fencing_token => 1);
select pgagent.pause_job(
  pg_temp.job('t'), 1, (select jsonb_build_object('q', question) from pgagent.approvals)
);
select pgagent.cancel_job(pg_temp.job('t'));
select pg_temp.run('t');

select is(
  (select status from pgagent.request_approval('t', 'k', 'pay', fencing_token => 2)), 'PENDING'
);
select set_eq('select status::text from pgagent.approvals', '{CANCELLED,PENDING}'::text[]);

select * from finish();
rollback;
