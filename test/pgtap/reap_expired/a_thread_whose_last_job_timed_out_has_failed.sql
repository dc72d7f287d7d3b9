begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', timeout => '1 s');
select pgagent_test.advance('2 s');
select pgagent.reap_expired();

select results_eq(
  'select status, completed_at is not null from pgagent.sessions',
  $$values ('FAILED' collate "C", true)$$
);

select * from finish();
rollback;
