begin;
\ir ../_lib.sql
select plan(6);

select pgagent.create_session('t', 'alice');
select pgagent.append_event('t', 'e' || n, to_jsonb(n)) from generate_series(1, 5) as n;
select pgagent.create_session('u');
select pgagent.append_event('u', 'other');

select results_eq(
  'select seq, kind, data from pgagent.events_since(''t'', 2)',
  $$
    values (3::bigint, 'e3', '3'::jsonb), (4, 'e4', '4'), (5, 'e5', '5')
  $$
);
select is((select count(*) from pgagent.events_since('t')), 5::bigint, 'all of them');
select results_eq(
  'select seq from pgagent.events_since(''t'', 1, 2)', $$values (2::bigint), (3)$$, 'a page'
);
select is_empty('select * from pgagent.events_since(''t'', 5)');
select become('t_tenant');
set local pgagent.user_id = 'bob';
select is_empty('select * from pgagent.events_since(''t'')', 'of another tenant');
set local pgagent.user_id = 'alice';
select is((select count(*) from pgagent.events_since('t')), 5::bigint, 'of its own');

select * from finish();
rollback;
