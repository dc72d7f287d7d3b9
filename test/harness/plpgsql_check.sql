-- Every finding of plpgsql_check, one line each. Performance hints are left out: the hot functions
-- have plan tests.
select format('%s:%s %s: %s', p.oid::regprocedure, c.lineno, c.level, c.message)
from pg_catalog.pg_proc as p
cross join lateral tap.plpgsql_check_function_tb(
  p.oid, performance_warnings => false, extra_warnings => true, security_warnings => true
) as c
where p.pronamespace = 'pgagent'::pg_catalog.regnamespace
  and p.prolang = (select l.oid from pg_catalog.pg_language as l where l.lanname = 'plpgsql')
  and p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype
order by 1;
