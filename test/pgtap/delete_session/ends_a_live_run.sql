begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');
select pg_temp.job('t') as job \gset
select pgagent.delete_session('t');

select throws_ok(
  format('select pgagent.renew_lease(%L, 1)', :'job'), 'PA003', null, 'its worker is told'
);
select is_empty($$select * from pgagent.claim_job('w2')$$, 'and nobody gets its job');

select * from finish();
rollback;
