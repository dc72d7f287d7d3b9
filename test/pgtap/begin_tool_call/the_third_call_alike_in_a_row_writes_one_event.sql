begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.run('t');
create function pg_temp.look(key text, args jsonb default '{"at": 1}')
returns text
language sql
as $$select action from pgagent.begin_tool_call('t', 'look', key, args, 1)$$;
create temp view suspected as
select e.data, e.job_id from pgagent.session_events as e where e.kind = 'loop_suspected';

select results_eq(
  $$
    select pg_temp.look(k.key, k.args)
    from (
      values
      (1, 'a', '{"at": 1}'::jsonb), (2, 'b', '{"at": 1}'), (3, 'c', '{"at": 2}'),
      (4, 'd', '{"at": 1}'), (5, 'e', '{"at": 1}'), (6, 'e', '{"at": 1}')
    ) as k (ordinal, key, args)
    order by k.ordinal
  $$,
  $$
    values
    ('execute'::text), ('execute'), ('execute'), ('execute'), ('execute'), ('busy')
  $$,
  'with another between them, or told again, calls are not three in a row'
);
select is_empty('select 1 from suspected', 'and nothing is said');
select pg_temp.look('f');
select results_eq(
  'select data, job_id from suspected',
  $$
    select
      jsonb_build_object('tool', 'look', 'calls', jsonb_agg(c.call_id order by c.call_id)),
      pg_temp.job('t')
    from pgagent.tool_calls as c
    where c.idempotency_key in ('d', 'e', 'f')
  $$,
  'the third names the three'
);
select pg_temp.look('g');
select is((select count(*) from suspected), 1::bigint, 'a fourth says nothing more');

select * from finish();
rollback;
