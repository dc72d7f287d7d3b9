begin;
\ir ../_lib.sql
select plan(3);

select throws_ok('select pgagent.put_checkpoint(null)', 'PA008');
select throws_ok($$select pgagent.put_checkpoint('[]')$$, 'PA008');
select throws_ok($$select pgagent.put_checkpoint('{}', null)$$, 'PA008');

select * from finish();
rollback;
