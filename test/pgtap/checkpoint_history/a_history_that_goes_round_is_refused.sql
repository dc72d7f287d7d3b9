begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.put('t', 'c' || n, step => n, parent => 'c' || nullif(n - 1, 0))
from generate_series(1, 9) as n;
select pg_temp.put('u', 'c1');
update pgagent.checkpoints set parent_checkpoint_id = 'c5'
where thread_id = 't' and checkpoint_id = 'c3';
update pgagent.checkpoints set parent_checkpoint_id = 'c1' where thread_id = 'u';

select alike(
  pg_temp.refusal($$select pgagent.checkpoint_history('t')$$), 'PA010 %checkpoint_id: c5 | %'
);
select alike(
  pg_temp.refusal($$select pgagent.checkpoint_history('u')$$), 'PA010 %', 'a parent of itself'
);
select is(
  (select count(*) from pgagent.checkpoint_history('t', max_rows => 6)), 6::bigint,
  'what is before it is told'
);
select is(
  (select count(*) from pgagent.checkpoint_descendants('t', '', 'c5')), 4::bigint,
  'descendants are younger, and go nowhere twice'
);

select * from finish();
rollback;
