-- An assistant that only calls tools says nothing; append_message takes it as well.
begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'assistant', 'null', turn => '1');

select is(
  (
    select appended from pgagent.append_messages('t', '[
      {"role": "assistant", "content": null, "turn": "1"}
    ]')
  ), false
);

select * from finish();
rollback;
