begin;
\ir ../_lib.sql
select plan(2);

create temporary table paused as select pgagent.pause_queue('q', 'me') as at;
select pgagent_test.advance('1 min');

select is(pgagent.pause_queue('q', 'you'), (select at from paused));
select is((select paused_by from pgagent.queues), 'me' collate "C");

select * from finish();
rollback;
