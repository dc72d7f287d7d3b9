-- jsonb keeps the digits it was given, and so do keys and fingerprints.
begin;
\ir ../_lib.sql
select plan(1);

select isnt(
  pgagent.idempotency_key('d', '1'::jsonb::text), pgagent.idempotency_key('d', '1.0'::jsonb::text)
);

select * from finish();
rollback;
