begin;
\ir ../_lib.sql
select plan(4);

select pg_temp.pause('t');
create temporary table first as
select status, decider, decided_at
from pgagent.decide_approval(
  pg_temp.approval('t'), 'edit', '{"args": {"amount": 5}}', decided_by => 'ann'
);
select last_event_seq as before from pgagent.sessions \gset
select pgagent_test.advance('1 day');

select results_eq(
  $$
    select status, decider, decided_at
    from pgagent.decide_approval(
      pg_temp.approval('t'), 'edit', '{"args": {"amount": 5}}', reason => 'x', decided_by => 'bob'
    )
  $$,
  'select * from first'
);
select is((select last_event_seq from pgagent.sessions), :before::bigint, 'nothing was written');
select fencing_token from pgagent.claim_job('w2');
select lives_ok(
  $$
    select pgagent.decide_approval(pg_temp.approval('t'), 'edit', '{"args": {"amount": 5}}')
  $$, 'nor later'
);
select is((select owner_token from pgagent.sessions), 2::bigint);

select * from finish();
rollback;
