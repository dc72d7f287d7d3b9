begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'c2', parent => 'c1', step => 4);
select pg_temp.put('t', 's1', ns => 'sub');

select results_eq(
  $$
    select thread, ns, id, parent_id, seq, metadata ->> 'step', checkpoint ->> 'id'
    from pgagent.get_checkpoint('t') where kind = 'checkpoint'
  $$,
  $$values ('t', '', 'c2', 'c1', 2::bigint, '4', 'c2')$$
);
select is(pg_temp.latest('t', 'sub'), 's1');
select is(pg_temp.latest('t', 'other'), null);

select * from finish();
rollback;
