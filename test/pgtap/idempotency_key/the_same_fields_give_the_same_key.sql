begin;
\ir ../_lib.sql
select plan(2);

select is(
  pgagent.idempotency_key('tool', 't', 'pay', '7'),
  '69afa097e12e18039b439dc758f54f4d85adeab3ac531cbaab3a683c61d83c6a'
);
select is(
  pgagent.idempotency_key('message', null, ''),
  'b24e82b59d45c07fd632111a35b96d644096148508cd198218487f220b03f32d'
);

select * from finish();
rollback;
