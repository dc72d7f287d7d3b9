begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pgagent.pause_job(pg_temp.job('t'), 1, '{"q": "pay?"}');
select pgagent.decide_approval(pg_temp.approval('t'), 'reject', reason => 'no');

select is((select resume from pgagent.claim_job('w2')), '{"q": false}'::jsonb);

select * from finish();
rollback;
