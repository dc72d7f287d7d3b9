begin;
\ir ../_lib.sql
select plan(3);

select pgagent.create_session('t', 'alice', '{"model": "m"}');
select pgagent.append_message('t', 'user', '"x"');
select pgagent.delete_session('t');

select is((select created from pgagent.create_session('t', 'alice', '{"model": "n"}')), true);
select results_eq(
  $$select status, user_id, config, last_message_seq, fencing_token from pgagent.sessions$$,
  $$
    values (
      'IDLE' collate "C", 'alice' collate "C", '{"model": "n"}'::jsonb, 1::bigint, 1::bigint
    )
  $$
);
select is(
  (select seq from pgagent.append_message('t', 'user', '"y"')), 2::bigint,
  'no number is given out twice'
);

select * from finish();
rollback;
