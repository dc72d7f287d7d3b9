begin;
\ir ../_lib.sql
select plan(3);

select throws_ok($$select pgagent.set_setting('retry_bases', '1 s')$$, 'PA008');
select throws_ok($$select pgagent.set_setting(null, '1 s')$$, 'PA008');
select throws_ok($$select pgagent.set_setting('', '1 s')$$, 'PA008');

select * from finish();
rollback;
