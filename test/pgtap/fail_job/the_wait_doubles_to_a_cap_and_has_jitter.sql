begin;
\ir ../_lib.sql
select plan(2);

select is_empty(
  $$
    select a.attempt, w.wait
    from (values (1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (99, 300))
      as a (attempt, longest)
    cross join lateral (
      select extract(epoch from pgagent._backoff(a.attempt, 'q', null, null)) as wait
      from generate_series(1, 20)
    ) as w
    where w.wait > a.longest or w.wait < a.longest * 0.75
  $$
);
select cmp_ok(
  (select count(distinct pgagent._backoff(5, 'q', null, null)) from generate_series(1, 20)), '>', 1::bigint
);

select * from finish();
rollback;
