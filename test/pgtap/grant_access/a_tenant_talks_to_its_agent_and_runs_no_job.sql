begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(7);

select become('t_tenant');
set local pgagent.user_id = 'alice';
select is((select status from pgagent.enqueue_job('t', '{}')), 'PENDING');
select is((select seq from pgagent.append_message('t', 'user', '"x"')), 1::bigint);
select is((select status from pgagent.get_job(pg_temp.job('t'))), 'PENDING');
select throws_ok($$select pgagent.claim_job('w1')$$, '42501');
select throws_ok($$select pgagent.start_run('t', 'w1')$$, '42501');
select throws_ok($$select pgagent.complete_job(pg_temp.job('t'), 1)$$, '42501');
select throws_ok($$select pgagent.reap_expired()$$, '42501');

select * from finish();
rollback;
