begin;
\ir ../_lib.sql
select plan(2);

select is_empty($$
  select distinct m.code[1]
  from pg_proc as p
  cross join lateral regexp_matches(p.prosrc, '''(PA\d{3})''', 'g') as m (code)
  where p.pronamespace = 'pgagent'::regnamespace
  except
  select code from pgagent.errors
$$);
select cmp_ok(
  (
    select count(distinct m.code[1])
    from pg_proc as p
    cross join lateral regexp_matches(p.prosrc, '''(PA\d{3})''', 'g') as m (code)
    where p.pronamespace = 'pgagent'::regnamespace
  ), '>=', 9::bigint, 'the search finds codes'
);

select * from finish();
rollback;
