begin;
\ir ../_lib.sql
select plan(2);

select is_empty('select name from pgagent.limits where (value > 0) is not true');
select cmp_ok((select count(*) from pgagent.limits), '>=', 10::bigint);

select * from finish();
rollback;
