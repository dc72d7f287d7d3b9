-- The expected value is made here field by field, from the description of the format.
begin;
\ir ../_lib.sql
select plan(1);

select is(
  pgagent.idempotency_key('message', 't', null, '', 'ü'),
  encode(
    sha256(
      'pgagent.key.1'
      || '\x00000007'::bytea || 'message'
      || '\x00000001'::bytea || 't'
      || '\xffffffff'::bytea
      || '\x00000000'::bytea
      || '\x00000002'::bytea || '\xc3bc'::bytea
    ), 'hex'
  )
);

select * from finish();
rollback;
