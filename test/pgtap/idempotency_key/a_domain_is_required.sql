begin;
\ir ../_lib.sql
select plan(2);

select throws_ok(format('select pgagent.idempotency_key(%L, ''x'')', d.domain), 'PA008')
from (values (null), ('')) as d (domain);

select * from finish();
rollback;
