begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t');

select pgagent.append_message('t', 'assistant', '"x"', turn => '7');
select results_eq(
  $$select seq, appended from pgagent.append_message('t', 'assistant', '"x"', turn => '7')$$,
  $$values (1::bigint, false)$$
);
select is((select count(*) from pgagent.session_messages), 1::bigint);
select is(
  (select seq from pgagent.append_message('t', 'assistant', '"y"')), 2::bigint,
  'and takes no number'
);

select * from finish();
rollback;
