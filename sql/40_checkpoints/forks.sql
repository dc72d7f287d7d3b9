-- Branches: checkpoints whose parent was not the newest of its namespace.

-- Raises PA012 unless a checkpoint continues the newest of its namespace, or is stored already.
create function pgagent._check_fork(
  thread_id text, checkpoint_ns text, checkpoint_id text, parent_checkpoint_id text
)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_newest text := pgagent._newest(_check_fork.thread_id, _check_fork.checkpoint_ns);
begin
  if v_newest is distinct from parent_checkpoint_id and not exists (
    select from pgagent.checkpoints as c
    where c.thread_id = _check_fork.thread_id
      and c.checkpoint_ns = _check_fork.checkpoint_ns
      and c.checkpoint_id = _check_fork.checkpoint_id
  ) then
    perform pgagent._raise(
      'PA012', 'the thread went on meanwhile',
      format(
        'thread_id: %s, parent: %s, newest: %s', thread_id,
        coalesce(parent_checkpoint_id, 'none'), coalesce(v_newest, 'none')
      ),
      'Read the thread again and repeat the run, or let branches be: on_fork => ''record''.'
    );
  end if;
end
$$;

comment on function pgagent._check_fork(text, text, text, text) is
'Raises PA012 unless a checkpoint continues the newest of its namespace.';

create view pgagent.forks with (security_invoker = true) as
select
  c.thread_id,
  c.checkpoint_ns,
  c.checkpoint_id,
  c.parent_checkpoint_id,
  c.newest_then as passed_by,
  c.metadata ->> 'source' in ('fork', 'update') as is_deliberate,
  c.job_id,
  c.created_at
from (
  select
    x.*,
    lag(x.checkpoint_id) over (
      partition by x.thread_id, x.checkpoint_ns order by x.seq
    ) as newest_then
  from pgagent.checkpoints as x
) as c
where
  c.newest_then <> c.parent_checkpoint_id
  and exists (
    select from pgagent.checkpoints as p
    where
      p.thread_id = c.thread_id
      and p.checkpoint_ns = c.checkpoint_ns
      and p.checkpoint_id = c.parent_checkpoint_id
  );

comment on view pgagent.forks is
'Checkpoints that branch off: their parent was not the newest of its namespace when they came.';
comment on column pgagent.forks.thread_id is 'The thread.';
comment on column pgagent.forks.checkpoint_ns is 'The namespace.';
comment on column pgagent.forks.checkpoint_id is 'The first checkpoint of the branch.';
comment on column pgagent.forks.parent_checkpoint_id is 'Where it branches off.';
comment on column pgagent.forks.passed_by is 'The checkpoint that was newest then.';
comment on column pgagent.forks.is_deliberate is
'Whether somebody branched on purpose (source fork or update); else two runs raced, or a run was '
'given an old checkpoint to go on from.';
comment on column pgagent.forks.job_id is 'The run that stored it.';
comment on column pgagent.forks.created_at is 'When it was stored.';
