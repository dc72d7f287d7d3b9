begin;
\ir ../_lib.sql
select plan(1);

select pgagent.start_run('t', 'w1', trace_id => 'trace1');
select pgagent.append_event('t', 'x', null, 1, 'trace2');

select is(
  (select trace_id from pgagent.session_events order by seq desc limit 1), 'trace2' collate "C"
);

select * from finish();
rollback;
