begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'a1', ns => 'sub', parents => '{"": "c1"}');
select pg_temp.put('t', 'c2', parent => 'c1');
select pg_temp.put('t', 'b1', ns => 'call:1|x', parents => '{"": "c2"}');
select pg_temp.put('t', 'a2', ns => 'sub', parent => 'a1', step => 4, parents => '{"": "c2"}');
select pg_temp.put('u', 'c1');

select results_eq(
  $$select n.ns, n.id, n.step, n.runs_under from pgagent.checkpoint_namespaces('t') as n$$,
  $$values ('', 'c2', 0, null), ('call:1|x', 'b1', 0, 'c2'), ('sub', 'a2', 4, 'c2')$$
);
select results_eq(
  $$select n.ns from pgagent.checkpoint_namespaces('t', max_rows => 1) as n$$, array['']
);
select results_eq(
  $$select n.ns from pgagent.checkpoint_namespaces('t', '', 1) as n$$, array['call:1|x']
);
select is_empty($$select * from pgagent.checkpoint_namespaces('t', 'sub')$$);

select * from finish();
rollback;
