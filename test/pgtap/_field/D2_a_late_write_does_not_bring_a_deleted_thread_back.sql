begin;
\ir ../_lib.sql
select plan(5);

select pg_temp.put('t', 'c1');
select pgagent.delete_session('t');

select throws_ok(w.write, 'PA006', null, w.write)
from (
  values
  ($$select pg_temp.put('t', 'c2')$$),
  ($$select pg_temp.put('t', 'c2', seen => 0)$$),
  ($$select pg_temp.put_write('t', 'c1', 'a', 0, 'v', seen => 0)$$),
  ($$select pgagent.append_message('t', 'user', '"x"')$$)
) as w (write);
select is_empty('select * from pgagent.sessions');

select * from finish();
rollback;
