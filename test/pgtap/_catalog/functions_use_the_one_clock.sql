-- now() stands still in a transaction: a lease taken late in a long one would be over at its commit.
begin;
select plan(2);

select is_empty($$
  select p.oid::regprocedure
  from pg_proc as p
  where p.pronamespace = 'pgagent'::regnamespace
    and p.proname <> '_now'
    and p.prokind in ('f', 'p')
    and pg_get_functiondef(p.oid) ~* (
      '\m(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\('
      '|\m(current_timestamp|current_date|current_time|localtime|localtimestamp)\M'
    )
$$, 'functions');
select is_empty($$
  select d.adrelid::regclass, pg_get_expr(d.adbin, d.adrelid)
  from pg_attrdef as d
  join pg_class as c on c.oid = d.adrelid and c.relnamespace = 'pgagent'::regnamespace
  where pg_get_expr(d.adbin, d.adrelid) ~* '\m(now|clock_timestamp)\(|CURRENT_|LOCALTIME'
$$, 'column defaults');

select * from finish();
rollback;
