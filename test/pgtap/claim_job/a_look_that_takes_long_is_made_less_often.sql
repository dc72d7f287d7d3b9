-- At most a fiftieth of the time goes into looks from the start.
begin;
select plan(4);

select ok(pgagent._rests(1000000, 0, 1999999, 1000000));
select ok(not pgagent._rests(1000000, 0, 2000000, 1000000), 'after a second');
select ok(pgagent._rests(1000000, 100000, 5899999, 1000000));
select ok(not pgagent._rests(1000000, 100000, 5900000, 1000000), 'after 49 times as long as it took');

select * from finish();
rollback;
