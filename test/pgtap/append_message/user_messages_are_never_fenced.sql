begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');

select results_eq(
  $$select seq from pgagent.append_message('t', 'user', '"while it runs"')$$,
  array[1::bigint]
);
select results_eq(
  $$select seq from pgagent.append_message('t', 'user', '"with an old token"', 99)$$,
  array[2::bigint]
);
select is(
  (select count(*) from pgagent.session_messages where job_id is null), 2::bigint,
  'and belong to no run'
);

select * from finish();
rollback;
