begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t');
select pg_temp.put('t', 'c2', null, 'update');

select matches(
  pg_temp.refusal($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$),
  '^PA012 .*asked at checkpoint: c1, now: c2'
);
select is((select superseded from pgagent.pending_approvals), true, 'and it shows');
select is((select status from pgagent.approvals), 'PENDING' collate "C");

select * from finish();
rollback;
