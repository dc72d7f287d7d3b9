begin;
\ir ../_lib.sql
select plan(1);

select throws_ok($$select pgagent.set_setting('retry_base', '1 s' || repeat(' ', 1022))$$, 'PA009');

select * from finish();
rollback;
