-- Those that the caller may see: of a tenant its own.
begin;
\ir ../_lib.sql
select plan(7);

select pgagent.create_session('t' || n, case when n % 2 = 0 then 'alice' else 'bob' end)
from generate_series(1, 6) as n;
select pg_temp.put('t' || n, 'c' || m, step => m, parent => 'c' || nullif(m - 1, 0))
from generate_series(1, 6) as n cross join generate_series(1, 5) as m;
create function pg_temp.pages(many integer, newest boolean) returns table (thread text, seq bigint)
language plpgsql volatile
as $$
declare
  v_rows integer;
begin
  loop
    v_rows := 0;
    for thread, seq in
      select b.thread, b.seq
      from pgagent.checkpoints_between(
        since => now() - interval '1 hour', after_thread => thread, after_seq => seq,
        newest_first => newest, max_rows => many
      ) as b
    loop
      v_rows := v_rows + 1;
      return next;
    end loop;
    exit when v_rows < many;
  end loop;
end
$$;

select become('t_reader');
select results_eq(
  format('select * from pg_temp.pages(%s, false)', many),
  $$
    select 't' || n, m::bigint
    from generate_series(1, 6) as n cross join generate_series(1, 5) as m order by 1, 2
  $$
)
from unnest('{1,4,30,1000}'::integer[]) as many;
select results_eq(
  'select * from pg_temp.pages(4, true)',
  $$
    select 't' || n, m::bigint
    from generate_series(1, 6) as n cross join generate_series(1, 5) as m
    order by 1, 2 desc
  $$, 'newest first'
);
reset role;
select become('t_tenant');
select is_empty('select * from pg_temp.pages(4, false)', 'nobody is named');
set local pgagent.user_id = 'alice';
select results_eq(
  'select distinct p.thread from pg_temp.pages(4, false) as p order by 1', '{t2,t4,t6}'::text[]
);

select * from finish();
rollback;
