begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put('t', 'c1');
select pgagent.delete_session('t');
select token from pgagent.get_checkpoint('t') where kind = 'thread' \gset

select is(pg_temp.put('t', 'c2', seen => :token), 2::bigint);
select results_eq(
  'select status, head_checkpoint_id from pgagent.sessions',
  $$values ('IDLE' collate "C", 'c2' collate "C")$$
);

select * from finish();
rollback;
