-- Past forks, from any checkpoint, in its own namespace.
begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 200) as n;
select pg_temp.put('t', 'f1', source => 'fork', step => 101, parent => 'c100');
select pg_temp.put('t', 'f2', step => 102, parent => 'f1');
select pg_temp.put('t', 's1', ns => 'sub', parents => '{"": "c7"}');
select pg_temp.put('t', 'c1', ns => 'sub', parent => 's1');

select results_eq(
  $$select h.id from pgagent.checkpoint_history('t', '', 'c200') as h$$,
  $$select 'c' || n from generate_series(200, 1, -1) as n$$
);
select results_eq(
  $$select h.id from pgagent.checkpoint_history('t') as h limit 3$$, '{f2,f1,c100}'::text[],
  'from the latest'
);
select is((select count(*) from pgagent.checkpoint_history('t')), 102::bigint);
select results_eq(
  $$select h.ns, h.id, h.parent_id from pgagent.checkpoint_history('t', 'sub') as h$$,
  $$values ('sub', 'c1', 's1'), ('sub', 's1', null)$$, 'of a subgraph'
);
select is_empty($$select * from pgagent.checkpoint_history('t', 'sub', 'f2')$$);
select is_empty($$select * from pgagent.checkpoint_history('nowhere')$$);

select * from finish();
rollback;
