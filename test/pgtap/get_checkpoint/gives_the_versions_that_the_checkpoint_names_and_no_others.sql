begin;
\ir ../_lib.sql
select plan(2);

select pg_temp.put_value('t', 'c1', 'a', '1', 'old');
select pg_temp.put_value('t', 'c2', 'a', '2', 'new');

select results_eq(
  $$
    select channel, version, blob
    from pgagent.get_checkpoint('t') where kind = 'value'
  $$,
  $$values ('a', '2', 'new'::bytea)$$
);
select results_eq(
  $$select version from pgagent.get_checkpoint('t', '', 'c1') where kind = 'value'$$, array['1']
);

select * from finish();
rollback;
