begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.put('t', 'c1');
select pgagent_test.advance('-1 hour');
select pg_temp.put('t', 'c2');

select is_empty($$
  select * from pgagent.checkpoints as a join pgagent.checkpoints as b on a.seq < b.seq
  where a.created_at > b.created_at
$$);

select * from finish();
rollback;
