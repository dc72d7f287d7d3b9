begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'c2');
select pg_temp.put('u', 'c3');

select results_eq(
  $$select id from pgagent.get_checkpoint('t', '', 'c1') where kind = 'checkpoint'$$, array['c1']
);
select is_empty(
  $$select id from pgagent.get_checkpoint('t', '', 'c3') where kind <> 'thread'$$,
  'not of another thread'
);
select is_empty(
  $$select id from pgagent.get_checkpoint('t', 'sub', 'c1') where kind <> 'thread'$$,
  'nor of another namespace'
);

select * from finish();
rollback;
