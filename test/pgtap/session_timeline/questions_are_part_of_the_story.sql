begin;
\ir ../_lib.sql
select plan(2);

select token from pg_temp.run('t') as token \gset
select pgagent.pause_job(pg_temp.job('t'), :token, '{"q1": "May I?"}');
select pgagent_test.advance('1 s');
select pgagent.decide_approval(a.approval_id, 'respond', response => '"yes"', decided_by => 'ann')
from pgagent.approvals as a;

select results_eq(
  $$
    select
      s.kind, s.name, s.data ->> 'question', s.data ->> 'response', s.data ->> 'decided_by',
      s.id = (select a.approval_id::text from pgagent.approvals as a), s.job_id = pg_temp.job('t')
    from pgagent.session_timeline('t', kinds => '{approval}') as s
  $$,
  $$values ('approval', 'RESPONDED', 'May I?', 'yes', 'ann', true, true)$$
);
select is_empty(
  $$
    select n.kind
    from pgagent.session_timeline('t', kinds => '{approval}') as s
    cross join lateral pgagent.session_timeline('t', s.cursor, kinds => '{approval}') as n
  $$, 'and told once'
);

select * from finish();
rollback;
