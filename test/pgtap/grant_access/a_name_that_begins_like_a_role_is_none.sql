-- The server cuts names to 63 bytes without a word.
begin;
\ir ../_lib.sql
select plan(2);

select format('create role %I', repeat('r', 63)) \gexec

select throws_ok($$select pgagent.grant_access(repeat('r', 64), 'worker')$$, 'PA003');
select lives_ok($$select pgagent.grant_access(repeat('r', 63), 'worker')$$);

select * from finish();
rollback;
