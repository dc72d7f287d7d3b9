-- Also when the clock was set back, and the thread goes on meanwhile.
begin;
\ir ../_lib.sql
select plan(4);

select pgagent.create_session('t');
select setseed(0.4);
do $$
begin
  for n in 1..50 loop
    perform pgagent.append_message('t', 'user', to_jsonb(n));
    perform pgagent.append_event('t', 'e', to_jsonb(n));
    perform pg_temp.put('t', 'c' || n, step => n);
    perform pgagent.begin_tool_call('t', 'tool', 'k' || n);
  end loop;
end
$$;
update pgagent.session_events set created_at = created_at - interval '1 day' where seq > 20;
update pgagent.session_messages
set created_at = created_at + random() * interval '1 hour' - interval '30 min';

create function pg_temp.pages(many integer) returns table (kind text, place text)
language plpgsql volatile
as $$
declare
  v_after jsonb;
  v_rows integer;
begin
  for n in 1..1000 loop
    v_rows := 0;
    for kind, place, v_after in
      select s.kind, coalesce(s.number::text, s.id), s.cursor
      from pgagent.session_timeline('t', v_after, many) as s
    loop
      v_rows := v_rows + 1;
      return next;
    end loop;
    if n = 1 then
      perform pgagent.append_event('t', 'late');
    end if;
    exit when v_rows < many;
  end loop;
end
$$;

select is(
  (select array[count(*), count(distinct (p.kind, p.place))] from pg_temp.pages(many) as p),
  array[200 + added, 200 + added]::bigint[], 'all, and each once'
)
from (values (1, 1), (7, 2), (150, 3)) as x (many, added);
select is_empty(
  $$
    select *
    from (
      select
        s.kind, s.number,
        lag(s.number) over (partition by s.kind order by s.n) as before
      from rows from (pgagent.session_timeline('t', max_rows => 1000)) with ordinality as s (
        kind, at, name, number, id, job_id, data, cursor, n
      )
    ) as s
    where s.number <= s.before
  $$, 'each kind in its own order'
);

select * from finish();
rollback;
