begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
select pg_temp.put('t', 'c0', 1, source => 'input', step => -1);
select pgagent_test.advance('40 s');
create function pg_temp.after(source text, ns text) returns interval
language plpgsql volatile
as $$
begin
  perform pg_temp.put('t', source || ns, 1, source, 5, ns);
  return pg_temp.lease_left('t');
end
$$;

select cmp_ok(pg_temp.after(p.source, p.ns), '<', interval '21 s', p.source || ' in ' || p.ns)
from (values ('input', ''), ('fork', ''), ('update', ''), ('loop', 'sub')) as p (source, ns);

select * from finish();
rollback;
