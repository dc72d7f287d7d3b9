-- The plain script carries its version itself: there is no control file to ask.
begin;
select plan(1);

select matches(pgagent.version(), '^[0-9]+\.[0-9]+\.[0-9]+$', 'a version of three numbers');

select * from finish();
rollback;
