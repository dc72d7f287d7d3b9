begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');
savepoint before;
select pg_temp.put('t', 'c2');
rollback to before;

select is((select head_checkpoint_id from pgagent.sessions), 'c1' collate "C");
select is(pg_temp.put('t', 'c3'), 2::bigint, 'and its number is given out again');

select * from finish();
rollback;
