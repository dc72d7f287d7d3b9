begin;
\ir ../_lib.sql
select plan(1);

select pg_temp.run('t');
select pg_temp.put('t', 'c1', 1);
select pgagent.pause_job(
  pg_temp.job('t'), 1,
  jsonb_build_object('q', pg_temp.review('pay'), 'r', 'sure?', 'breakpoint:c1', '{"before": ["a"]}')
);

select results_eq(
  $$
    select interrupt_id, checkpoint_id, job_id = pg_temp.job('t'), action, allowed::text
    from pgagent.pending_approvals order by interrupt_id
  $$,
  $$
    values
    ('breakpoint:c1' collate "C", 'c1' collate "C", true, null::jsonb, '{approve}'),
    ('q', 'c1', true, '{"name": "pay", "args": {"amount": 10}}', '{approve,edit,reject,respond}'),
    ('r', 'c1', true, null, '{approve,reject,respond}')
  $$
);

select * from finish();
rollback;
