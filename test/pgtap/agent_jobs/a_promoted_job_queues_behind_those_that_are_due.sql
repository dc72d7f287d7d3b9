-- It enters the queue when it is let in: one order holds for all.
begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.enqueue_job('t', '"was waiting"');
select pgagent_test.advance('1 s');
select pgagent.enqueue_job('u', '"was due"');
select pgagent_test.advance('1 s');

select is(pg_temp.finish_and_claim('t'), '"was due"'::jsonb);
select is((select payload from pgagent.claim_job('w1')), '"was waiting"'::jsonb);

select * from finish();
rollback;
