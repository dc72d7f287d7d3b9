begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.run('t');

select is(
  (select lease_left from pgagent.renew_lease(pg_temp.job('t'), 1, '5 min')), interval '5 min'
);
select is(
  (select lease_left from pgagent.renew_lease(pg_temp.job('t'), 1)), interval '5 min',
  'and keeps it'
);

select * from finish();
rollback;
