begin;
\ir ../_lib.sql
select plan(1);

select pgagent.create_session('t', config => '{"model": "old"}');
select pgagent.enqueue_job('t', '{}', config => '{"model": "m"}');
update pgagent.session_data set config = '{"model": "new"}';

select is((select config from pgagent.claim_job('w1')), '{"model": "m"}'::jsonb);

select * from finish();
rollback;
