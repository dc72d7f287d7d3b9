begin;
\ir ../_lib.sql
select plan(6);

select throws_ok($$select pgagent.needs_compaction('t', 0)$$, 'PA008');
select throws_ok($$select pgagent.needs_compaction('t', null)$$, 'PA008');
select throws_ok($$select pgagent.needs_compaction('t', 9, -1)$$, 'PA008');
select throws_ok($$select pgagent.needs_compaction('t', 9, threshold => 1.1)$$, 'PA008');
select throws_ok($$select pgagent.needs_compaction('t', 9, keep => -1)$$, 'PA008');
select throws_ok($$select pgagent.messages_to_summarize('t', null)$$, 'PA008');

select * from finish();
rollback;
