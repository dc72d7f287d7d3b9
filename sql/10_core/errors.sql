-- Every error the engine raises on purpose, once. The Python binding has one exception a row, and a
-- test compares the two.
create view pgagent.errors with (security_invoker = true) as
select
  e.code,
  e.name,
  e.meaning
from (
  values
  ('PA001', 'thread_busy', 'another run owns the thread, and the write carried no fencing token'),
  ('PA002', 'stale_token', 'the fencing token is not the one that owns the thread now'),
  ('PA003', 'not_found', 'no such thread, job or tool call'),
  ('PA004', 'idempotency_conflict', 'the key was used before with another payload'),
  ('PA005', 'illegal_transition', 'the row is in a state from which this move is not possible'),
  ('PA006', 'thread_gone', 'the thread was deleted or archived'),
  ('PA007', 'base_missing', 'what this write builds on is not stored'),
  ('PA008', 'bad_argument', 'an argument is missing, malformed or out of range'),
  ('PA009', 'limit_exceeded', 'an argument is larger than pgagent.limits allows'),
  ('PA010', 'history_broken', 'a needed ancestor is not stored, or the history has a cycle'),
  ('PA011', 'forbidden', 'the caller may not do this, or the thread belongs to somebody else'),
  ('PA012', 'head_moved', 'the thread went on meanwhile: reload and retry')
) as e (code, name, meaning);

comment on view pgagent.errors is 'The SQLSTATEs of class PA: code, name and meaning.';
comment on column pgagent.errors.code is 'The SQLSTATE.';
comment on column pgagent.errors.name is 'Name of the exception in the bindings, in snake case.';
comment on column pgagent.errors.meaning is 'When it is raised.';
