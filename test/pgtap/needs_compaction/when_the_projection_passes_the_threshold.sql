begin;
\ir ../_lib.sql
select plan(8);

select pgagent.create_session('t');
select pgagent.append_message('t', 'user', '"x"', token_count => 10)
from generate_series(1, 60) as n;

select is(pgagent.needs_compaction('t', 1000, projected => 700), false);
select is(pgagent.needs_compaction('t', 1000, projected => 701), true);
select is(pgagent.needs_compaction('t', 1000), false, '600 of 700');
select is(pgagent.needs_compaction('t', 1000, upcoming => 101), true, 'with what is to be added');
select is(pgagent.needs_compaction('t', 1000, threshold => 0.5), true, 'of another threshold');
select is(pgagent.needs_compaction('t', 1, keep => 60), false, 'there is nothing to summarise');
select is(pgagent.needs_compaction('nobody', 1), false, 'nor in a thread that is not there');
select pgagent.append_message('t', 'user', to_jsonb(repeat('x', 398)));
select is(
  pgagent.needs_compaction('t', 1000, upcoming => 1), true, 'four bytes without a count are a token'
);

select * from finish();
rollback;
