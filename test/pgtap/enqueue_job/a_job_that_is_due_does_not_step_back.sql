begin;
\ir ../_lib.sql
select plan(1);

select pgagent.enqueue_job('t', '"first"', delay => '1 min');
select pgagent_test.advance('2 min');

select is((select status from pgagent.enqueue_job('t', '"second"', priority => 9)), 'WAITING');

select * from finish();
rollback;
