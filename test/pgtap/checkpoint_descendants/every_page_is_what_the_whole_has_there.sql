-- In random trees whose branches are mixed and whose checkpoints are missing here and there.
begin;
\ir ../_lib.sql
select plan(3);

select setseed(0.7);
select pg_temp.put(
  't', 'c' || n, step => n,
  parent => case when n > 1 then 'c' || greatest(1, n - 1 - floor(random() ^ 4 * 20)::integer) end
)
from generate_series(1, 300) as n;
delete from pgagent.checkpoints where checkpoint_id in ('c77', 'c150', 'c151', 'c230');

-- What a recursive query says.
create function pg_temp.expected(first text) returns table (seq bigint)
language sql volatile
as $$
  with recursive found as (
    select x.checkpoint_id, x.seq from pgagent.checkpoints as x
    where x.thread_id = 't' and x.checkpoint_id = first
    union
    select x.checkpoint_id, x.seq
    from found as f
    join pgagent.checkpoints as x on x.thread_id = 't' and x.parent_checkpoint_id = f.checkpoint_id
  )
  select f.seq from found as f where f.checkpoint_id <> first order by f.seq
$$;
create function pg_temp.pages(first text, many integer) returns table (seq bigint)
language plpgsql volatile
as $$
declare
  v_after bigint;
  v_rows integer;
begin
  loop
    v_rows := 0;
    for seq in
      select d.seq
      from pgagent.checkpoint_descendants('t', '', first, v_after, many) as d
    loop
      v_rows := v_rows + 1;
      v_after := seq;
      return next;
    end loop;
    exit when v_rows < many;
  end loop;
end
$$;

select ok((select count(*) from pg_temp.expected('c1')) between 100 and 299, 'some are cut off');
select is_empty(
  $$
    select c.checkpoint_id, many
    from pgagent.checkpoints as c
    cross join unnest('{7,1000}'::integer[]) as many
    where array(select p.seq from pg_temp.pages(c.checkpoint_id, many) as p)
      <> array(select e.seq from pg_temp.expected(c.checkpoint_id) as e)
  $$, 'of every checkpoint'
);
select is(
  (select count(*) from pgagent.checkpoint_descendants('t', '', 'c1', max_rows => 1)), 1::bigint
);

select * from finish();
rollback;
