begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 25) as n;
create function pg_temp.pages(many integer) returns setof text
language plpgsql volatile
as $$
declare
  r record;
  v_next text := 'c25';
begin
  while v_next is not null loop
    for r in select * from pgagent.checkpoint_history('t', '', v_next, many) loop
      return next r.id;
    end loop;
    v_next := r.parent_id;
  end loop;
end
$$;

select results_eq(
  format('select pg_temp.pages(%s)', many),
  $$select 'c' || n from generate_series(25, 1, -1) as n$$
)
from unnest('{1,7,25,1000}'::integer[]) as many;

select * from finish();
rollback;
