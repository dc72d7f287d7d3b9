begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1', source => 'input', step => -1);
select pg_temp.put('t', 'c2', source => 'loop', step => 0);
select pg_temp.put('t', 'c3', source => 'loop', step => 1);

select results_eq(
  $$select id from pgagent.list_checkpoints('t', filter => '{"source": "loop"}')$$,
  $$values ('c3'), ('c2')$$
);
select results_eq(
  $$select id from pgagent.list_checkpoints('t', filter => '{"source": "loop", "step": 0}')$$,
  array['c2']
);
select is_empty($$select * from pgagent.list_checkpoints('t', filter => '{"step": 9}')$$);

select * from finish();
rollback;
