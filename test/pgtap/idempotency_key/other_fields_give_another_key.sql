-- Plain or delimited concatenation gives equal keys to several of these.
begin;
\ir ../_lib.sql
select plan(1);

select is(
  (
    select count(distinct pgagent.idempotency_key(v.domain, variadic v.fields))
    from (
      values
      ('d', '{}'::text[]), ('d', '{""}'), ('d', '{NULL}'), ('d', '{"",""}'), ('d', '{NULL,NULL}'),
      ('d', '{"",NULL}'), ('d', '{NULL,""}'), ('d', '{a|b,c}'), ('d', '{a,b|c}'), ('d', '{a,b,c}'),
      ('d', '{"a,b",c}'), ('d', '{t1,2}'), ('d', '{t,12}'), ('d', '{t12}'), ('d', '{t12,""}'),
      ('d', '{"null"}'), ('d', '{a}'), ('a', '{d}'), ('da', '{}'), ('d', '{A}'), ('d', '{"a "}'),
      ('d', '{-1}'), ('d', '{"é"}'), ('d', array['e' || U&'\0301']), ('d', array[E'a\nb'])
    ) as v (domain, fields)
  ), 25::bigint
);

select * from finish();
rollback;
