begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.append_message('t', 'assistant', '"x"', turn => '1', context => '["doc 1"]');
select pgagent.append_message('t', 'assistant', '"y"', turn => '2');

select results_eq(
  'select turn, context from pgagent.session_messages order by seq',
  $$values ('1' collate "C", '["doc 1"]'::jsonb), ('2', null)$$
);

select * from finish();
rollback;
