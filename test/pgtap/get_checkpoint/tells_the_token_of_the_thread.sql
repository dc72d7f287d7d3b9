begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.run('t');
select results_eq(
  $$select kind, thread, token from pgagent.get_checkpoint('t')$$,
  $$values ('thread', 't', 1::bigint)$$
);
select pgagent.delete_session('t');
select results_eq(
  $$select kind, thread, token from pgagent.get_checkpoint('t')$$,
  $$values ('thread', 't', 2::bigint)$$, 'of a deleted one too'
);
select is_empty($$select * from pgagent.get_checkpoint('u')$$, 'an unknown one gives no row');

select * from finish();
rollback;
