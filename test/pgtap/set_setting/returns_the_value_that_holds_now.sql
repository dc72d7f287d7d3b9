begin;
\ir ../_lib.sql
select plan(4);

select is(pgagent.set_setting('retry_base', '7 s'), '7 s');
select is(pgagent.set_setting('retry_base', '8 s'), '8 s');
select is(pgagent.set_setting('retry_base', null), '1 s', 'the default again');
select is_empty('select * from pgagent.settings');

select * from finish();
rollback;
