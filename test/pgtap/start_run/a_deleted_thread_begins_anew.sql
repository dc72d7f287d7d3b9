begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t');
select pgagent.delete_session('t');

select is((select fencing_token from pgagent.start_run('t', 'w1')), 2::bigint);

select * from finish();
rollback;
