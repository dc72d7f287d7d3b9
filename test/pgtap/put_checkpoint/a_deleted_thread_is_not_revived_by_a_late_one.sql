begin;
\ir ../_lib.sql
select plan(3);

select pg_temp.put('t', 'c1');
select pgagent.delete_session('t');

select throws_ok($$select pg_temp.put('t', 'c2')$$, 'PA006', null, 'that never looked');
select throws_ok($$select pg_temp.put('t', 'c2', seen => 0)$$, 'PA006', null, 'that looked before');
select throws_ok($$select pg_temp.put('t', 'c2', 1)$$, 'PA006', null, 'with a token');

select * from finish();
rollback;
