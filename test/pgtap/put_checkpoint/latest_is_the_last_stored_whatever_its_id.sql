-- A worker whose clock is an hour slow makes ids that sort before those of others.
begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', '2');
select pg_temp.put('t', '1');

select is(pg_temp.latest('t'), '1');
select is((select head_checkpoint_id from pgagent.sessions), '1' collate "C");

select * from finish();
rollback;
