begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select lives_ok(
  $$select pgagent.append_messages('t', '[{"role": "user", "content": "a"}]')$$
);
select throws_ok(
  $$
    select pgagent.append_messages('t', '[
      {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
    ]')
  $$, 'PA001'
);

select * from finish();
rollback;
