begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c1');
select pgagent.delete_session('t');

select throws_ok($$select pg_temp.put_write('t', 'c1', 'a', 0, 'v')$$, 'PA006');
select throws_ok($$select pg_temp.put_write('t', 'c1', 'a', 0, 'v', seen => 0)$$, 'PA006');
select is_empty('select * from pgagent.checkpoint_writes');
select is(
  pg_temp.put_write('t', 'c1', 'a', 0, 'v', seen => 1), 1::bigint, 'but by one that began after it'
);

select * from finish();
rollback;
