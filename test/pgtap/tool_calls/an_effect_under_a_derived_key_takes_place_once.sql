-- The tool is handed the key: what it does under it, it does once, however often the run dies.
begin;
\ir ../_lib.sql
select plan(4);

create table public.charges (key text primary key, amount integer);
create function pg_temp.attempt(token bigint, dies boolean) returns text
language plpgsql volatile
as $$
declare
  v_key text := pgagent.idempotency_key('tool', 't', 'step1', 'alice', '10');
  c record;
begin
  select * into c
  from pgagent.begin_tool_call('t', 'charge', v_key, '{"amount": 10}', token, take_over => true);
  if c.action = 'execute' then
    insert into public.charges values (v_key, 10) on conflict do nothing;
    if dies then
      return 'died';
    end if;
    perform pgagent.complete_tool_call(c.call_id, '"charged"', token);
  end if;
  return c.action;
end
$$;
select pgagent.start_run('t', 'w1', lease => '1 us');
select is(pg_temp.attempt(1, dies => true), 'died', 'between effect and receipt');
select pgagent.claim_job('w2', lease => '1 us');
select is(pg_temp.attempt(2, dies => false), 'execute');
select pgagent_test.advance('1 s');
select fencing_token from pgagent.claim_job('w3');
select is(pg_temp.attempt(3, dies => false), 'replay');
select is((select sum(amount) from public.charges), 10::bigint);

select * from finish();
rollback;
