begin;
\ir ../_lib.sql
select plan(6);

select pg_temp.put('t', 'c1');
select pg_temp.put('t', 'c2', parent => 'c1');
select pg_temp.put('t', 'c3', parent => 'c2');
select pg_temp.put('t', 'f3', parent => 'c2', source => 'fork');
select pg_temp.put('t', 'g2', parent => 'c1', source => 'fork');
select pg_temp.put('t', 'f4', parent => 'f3');
select pg_temp.put('t', 'c4', parent => 'c3');
select pg_temp.put('t', 'c2', ns => 'sub');
select pg_temp.put('t', 's3', ns => 'sub', parent => 'c2');
create function pg_temp.after(id text) returns text
language sql volatile
as $$
  select string_agg(d.id, ' ' order by d.seq)
  from pgagent.checkpoint_descendants('t', '', id) as d
$$;

select is(pg_temp.after('c1'), 'c2 c3 f3 g2 f4 c4');
select is(pg_temp.after('c2'), 'c3 f3 f4 c4');
select is(pg_temp.after('f3'), 'f4');
select is(pg_temp.after('g2'), null);
select is(
  (select string_agg(d.id, ' ') from pgagent.checkpoint_descendants('t', 'sub', 'c2') as d), 's3',
  'per namespace'
);
select is_empty($$select * from pgagent.checkpoint_descendants('t', '', 'nothing')$$);

select * from finish();
rollback;
