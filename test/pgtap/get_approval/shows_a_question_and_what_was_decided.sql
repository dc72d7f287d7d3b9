begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.pause('t');
select results_eq(
  $$
    select status, thread_id, checkpoint_id, decided_by, superseded
    from pgagent.get_approval(pg_temp.approval('t'))
  $$,
  $$values ('PENDING', 't', 'c1', null::text, false)$$
);
select pgagent.decide_approval(pg_temp.approval('t'), 'approve', decided_by => 'ann');
select results_eq(
  $$select status, decided_by from pgagent.get_approval(pg_temp.approval('t'))$$,
  $$values ('APPROVED', 'ann')$$
);
select is_empty('select * from pgagent.get_approval(gen_random_uuid())');

select * from finish();
rollback;
