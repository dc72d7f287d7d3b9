-- Its parent_id is told all the same.
begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 9) as n;
select pgagent.prune_history('t', 3);

select results_eq(
  $$select h.id, h.parent_id from pgagent.checkpoint_history('t') as h$$,
  $$values ('c9', 'c8'), ('c8', 'c7'), ('c7', 'c6')$$
);

select * from finish();
rollback;
