begin;
\ir ../_lib.sql
select plan(1);

select results_eq(
  'select code, count(*) from pgagent.errors group by code order by code',
  $$select 'PA' || lpad(n::text, 3, '0'), 1::bigint from generate_series(1, 12) as n$$
);

select * from finish();
rollback;
