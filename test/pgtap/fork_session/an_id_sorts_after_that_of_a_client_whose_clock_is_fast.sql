begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', '3fffffff-ffff-6fff-8001-4b6ae198fb1c');
select pg_temp.put('t', 'c2', parent => '3fffffff-ffff-6fff-8001-4b6ae198fb1c');
select is(
  left((pgagent.fork_session('t', '3fffffff-ffff-6fff-8001-4b6ae198fb1c', 'u')).id, 19),
  '40000000-0000-6000-'
);
-- As the standard has it.
select ok(
  (('x0' || left(translate(i.id, '-', ''), 12) || substr(i.id, 16, 3))::bit(64)::bigint
    - 122192928000000000) / 10000000
  - extract(epoch from pgagent._now()) between -1 and 1
)
from (select pgagent._new_checkpoint_id() as id) as i;

select * from finish();
rollback;
