begin;
\ir ../_lib.sql
select plan(6);

select throws_ok(format('select pgagent.set_setting(''retry_base'', %L)', v.value), 'PA008')
from (values (''), ('soon'), ('0 s'), ('-1 s'), ('11 years'), ('1e999999 s')) as v (value);

select * from finish();
rollback;
