begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c' || n) from generate_series(1, 5) as n;

select is(pg_temp.list('t'), '{c5,c4,c3,c2,c1}');
select results_eq(
  $$select id from pgagent.list_checkpoints('t', max_rows => 2)$$, $$values ('c5'), ('c4')$$
);
select is_empty($$select * from pgagent.list_checkpoints('t', max_rows => 0)$$);

select * from finish();
rollback;
