-- A page of 50 in a thread of 10,000 checkpoints with 50 forks, beside 100,000 others, for a worker
-- and for a tenant: at most 8 buffers a row that is read, near the root and far from it. Ancestors
-- are one more than the page.
begin;
\ir _rows.sql
select plan(24);

select pgagent.create_session('h', 'user-7'), pgagent.create_session('t');
select pg_temp.put('h', 'first');
select become('t_worker');
select count(*) from pgagent.checkpoint_history('h');
select count(*) from pgagent.checkpoints_between('h');
reset role;
select pg_temp.many_sessions();
select pg_temp.many_checkpoints();

-- The ids are as long as LangGraph's. Every 200th begins a fork of the one 100 before.
create function pg_temp.id(n bigint) returns text
language sql immutable
as $$select format('1f1ed369-23b2-6540-8001-%s', lpad(n::text, 12, '0'))$$;
insert into pgagent.checkpoints (
  thread_id, checkpoint_ns, checkpoint_id, seq, parent_checkpoint_id, checkpoint, metadata,
  created_at
)
select
  'h', '', pg_temp.id(n), n + 1,
  case when n > 1 then pg_temp.id(case when n % 200 = 0 then n - 100 else n - 1 end) end,
  '{"channel_versions": {"a": "00000001.abcd", "messages": "00000001.abcd"},
    "versions_seen": {"agent": {"a": "00000001.abcd"}, "tools": {"a": "00000001.abcd"}}}',
  jsonb_build_object('source', 'loop', 'step', n, 'parents', '{}'::jsonb),
  now() + n * interval '1 s'
from generate_series(1, 10000) as n;
update pgagent.agent_sessions set last_checkpoint_seq = 10001 where thread_id = 'h';
select is((select count(*) from pgagent.forks where thread_id = 'h'), 50::bigint);

create function pg_temp.pages() returns setof text
language sql immutable
as $$
  select replace(p.call, 'P', 'select count(*) from pgagent.')
  from (
    values
    ('Pcheckpoint_history(''h'', '''', pg_temp.id(100), 50)'),
    ('Pcheckpoint_history(''h'', '''', pg_temp.id(9900), 50)'),
    ('Pcheckpoint_descendants(''h'', '''', pg_temp.id(99), max_rows => 50)'),
    ('Pcheckpoint_descendants(''h'', '''', pg_temp.id(9850), max_rows => 50)'),
    ('Pcheckpoint_descendants(''h'', '''', pg_temp.id(99), 9902, 50)'),
    -- A branch begins in it, at one before it.
    ('Pcheckpoint_descendants(''h'', '''', pg_temp.id(99), 9990, 50)'),
    ('Pcheckpoints_between(''h'', now() + interval ''100 s'', ''infinity'', max_rows => 50)'),
    ('Pcheckpoints_between(''h'', now() + interval ''9900 s'', ''infinity'', max_rows => 50)'),
    ('Pcheckpoints_between(''h'', until => now() + interval ''9900 s'', newest_first => true,'
      ' max_rows => 50)'),
    ('Pcheckpoints_between(''h'', after_seq => 9902, max_rows => 50)')
  ) as p (call)
$$;

select become('t_worker');
-- The first calls read the catalog.
select pg_temp.buffers(p) from pg_temp.pages() as p;
select cmp_ok(pg_temp.buffers(p), '<=', 400::bigint, p) from pg_temp.pages() as p;
select cmp_ok(
  pg_temp.rows_read(
    $$select count(*) from pgagent.checkpoints_between(
      'h', now() + interval '9000 s', now() + interval '9050 s'
    )$$
  ), '<=', 180::bigint, 'rows and index entries, those of the search included'
);
reset role;
select become('t_tenant');
set local pgagent.user_id = 'user-7';
select pg_temp.buffers(p) from pg_temp.pages() as p;
select cmp_ok(
  pg_temp.buffers(p),
  -- Back to where the branch begins: a hundred more, and each asks whose it is.
  '<=', 8 * case when p like '%9990%' then 151 else 51 end::bigint, 'for a tenant: ' || p
)
from pg_temp.pages() as p;
select cmp_ok(
  pg_temp.buffers($$select * from pgagent.checkpoint_at('h', now() + interval '5000 s')$$), '<=',
  160::bigint, 'the latest at some time'
);
select is(
  (select array_agg(a.seq) from pgagent.checkpoint_at('h', now() + interval '5000 s') as a),
  '{5001}'::bigint[]
);

select * from finish();
rollback;
