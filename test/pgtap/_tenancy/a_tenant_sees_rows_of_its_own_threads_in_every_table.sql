-- Two threads with rows in every table; each tenant sees its own, and nobody sees none.
begin;
\ir ../_lib.sql
\ir ../_calls.sql
select plan((select 3 * count(*)::integer from pgagent._thread_tables()));

create function pg_temp.fill(thread text, owner text) returns void
language plpgsql volatile
as $$
begin
  perform pg_temp.busy_thread(thread, owner);
  perform pgagent.record_summary(thread, 1, '"x"', 2);
  perform pgagent.record_usage(thread, 'u', 1, fencing_token => 2);
  perform pg_temp.put_write(thread, 'c1', 'a', 0, 'v', 2);
  insert into pgagent.checkpoint_blobs values (thread, '', 'c', '1', 'text', 'x');
  insert into pgagent.checkpoint_items values (thread, '', 'c', 1, 'text', 'x');
end
$$;
create function pg_temp.threads(relation text) returns text[]
language plpgsql volatile
as $$
declare
  v_threads text[];
begin
  execute format('select array_agg(distinct thread_id order by thread_id) from %s', relation)
  into v_threads;
  return v_threads;
end
$$;
select pg_temp.fill('t', 'alice');
select pg_temp.fill('u', 'bob');
create temporary table tables as select relation::text from pgagent._thread_tables();

select is(pg_temp.threads(relation), '{t,u}', relation || ': rows of both') from tables;
select become('t_tenant');
set local pgagent.user_id = 'bob';
select is(pg_temp.threads(relation), '{u}', relation || ': bob') from tables;
reset pgagent.user_id;
select is(pg_temp.threads(relation), null, relation || ': nobody') from tables;

select * from finish();
rollback;
