begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan(3);

select pg_temp.busy_thread('t');
select throws_ok($$select pg_temp.put('t', 'c2', 1)$$, 'PA002');
select is((select last_checkpoint_seq from pgagent.sessions), 1::bigint);
select is(pg_temp.put('t', 'c2', 2), 2::bigint, 'the owner can');

select * from finish();
rollback;
