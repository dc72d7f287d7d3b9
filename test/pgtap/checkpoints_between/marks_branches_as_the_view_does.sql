begin;
\ir ../_lib.sql
select plan(4);

select setseed(0.3);
select pg_temp.put(
  't', 'c' || n, step => n,
  source => (array['loop', 'loop', 'fork', 'update'])[1 + floor(random() * 4)::integer],
  parent => case when n > 1 then 'c' || greatest(1, n - 1 - floor(random() ^ 4 * 20)::integer) end
)
from generate_series(1, 200) as n;
delete from pgagent.checkpoints where checkpoint_id in ('c1', 'c50', 'c51', 'c120');

select cmp_ok((select count(*) from pgagent.forks), '>', 30::bigint);
select set_eq(
  format(
    $$
      select b.id, b.parent_id, b.passed_by, b.is_deliberate
      from pgagent.checkpoints_between('t', newest_first => %L) as b
      where b.passed_by is not null
    $$, newest
  ),
  $$
    select f.checkpoint_id::text, f.parent_checkpoint_id::text, f.passed_by::text, f.is_deliberate
    from pgagent.forks as f
  $$
)
from unnest('{f,t}'::boolean[]) as newest;
select is_empty(
  $$
    select b.id
    from generate_series(0, 200, 3) as n
    cross join lateral pgagent.checkpoints_between('t', after_seq => n, max_rows => 3) as b
    full join pgagent.forks as f on f.checkpoint_id = b.id
    where f.passed_by is distinct from b.passed_by
  $$, 'at the beginning of a page too'
);

select * from finish();
rollback;
