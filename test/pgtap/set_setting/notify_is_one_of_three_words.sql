begin;
\ir ../_lib.sql
select plan(5);

select is(pgagent.set_setting('notify', v.value), v.value)
from (values ('off'), ('jobs'), ('all')) as v (value);
select throws_ok($$select pgagent.set_setting('notify', 'on')$$, 'PA008');
select is(pgagent.set_setting('notify', null), 'off', 'the default');

select * from finish();
rollback;
