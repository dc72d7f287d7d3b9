begin;
\ir ../_lib.sql
select plan(2);

select pgagent.create_session('t');
select pgagent.delete_session('t');

select throws_ok($$select pgagent.append_message('t', 'user', '"x"')$$, 'PA006');
select throws_ok($$select pgagent.append_message('t', 'assistant', '"x"', 1)$$, 'PA006');

select * from finish();
rollback;
