begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put_write('t', 'c1', 'a', -1, 'first', channel => '__error__');

select is(
  pg_temp.put_write('t', 'c1', 'a', -1, 'second', channel => '__interrupt__'), 1::bigint
);
select results_eq(
  $$select channel, blob from pgagent.checkpoint_writes$$,
  $$values ('__interrupt__' collate "C", 'second'::bytea)$$
);

select * from finish();
rollback;
