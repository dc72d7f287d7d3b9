begin;
\ir _items.sql
select plan(21);

select pg_temp.put_items('c1', '1', null, '[2]', '{a,b}');
select throws_ok(
  format(
    'select pg_temp.put_items(%L, %L, %L, %L, %L, 9, %L)', 'c2', '2', '1', '[[0, 2], 1]', '{x}',
    c.change
  ), 'PA008', null, c.change
)
from (
  values
  ('{"type": "text"}'), ('{"base": 1}'), ('{"parts": 1}'), ('{"parts": [0, 1]}'),
  ('{"parts": [1.5]}'), ('{"parts": [[0, 3], 1]}'), ('{"parts": [[1, 1], 1]}'),
  ('{"parts": [[2, 1], 1]}'), ('{"parts": [[-1, 1], 1]}'), ('{"parts": [[0, 1, 2], 1]}'),
  ('{"parts": ["1"]}'), ('{"parts": [2]}'), ('{"parts": []}'), ('{"lengths": [2]}'),
  ('{"lengths": [1, 1]}'), ('{"lengths": [-1, 2]}'), ('{"lengths": "1"}'), ('{"types": [1]}'),
  ('{"types": ["a", "b"]}'), ('{"types": null}'), ('{"size": -1}')
) as c (change);

select * from finish();
rollback;
