begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pgagent.append_message('t', 'user', '"x"');
select pgagent.record_summary('t', 1, '"x"', 1, model => 'small', tokens_before => 9, tokens_after => 2);

select is((select job_id from pgagent.context_summaries), pg_temp.job('t'));
select throws_ok($$select pgagent.record_summary('t', 1, '"x"')$$, 'PA001', null, 'it is fenced');

select * from finish();
rollback;
