begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.pause('t');
select pgagent.decide_approval(
  pg_temp.approval('t'), 'respond', response => to_jsonb(repeat('x', 900000)), reason => 'why not',
  decided_by => 'ann'
);
create temporary table refusal as
select pg_temp.refusal($$select pgagent.decide_approval(pg_temp.approval('t'), 'approve')$$) as said;

select matches((select said from refusal), '^PA005 it was decided before, otherwise');
select matches((select said from refusal), 'status: RESPONDED, by: ann, at: .*, reason: why not');
select cmp_ok((select length(said) from refusal), '<', 2500, 'and not the whole of it');
select matches(
  pg_temp.refusal(
    $$select pgagent.decide_approval(pg_temp.approval('t'), 'respond', response => '"y"')$$
  ), '^PA005', 'another answer is another decision'
);
select is((select count(*) from pgagent.session_events where kind = 'job_resumed'), 1::bigint);

select * from finish();
rollback;
