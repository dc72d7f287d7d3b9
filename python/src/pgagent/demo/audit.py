"""What was counted, and whether anything was lost or done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pgagent.demo.mayhem import Mayhem
from pgagent.demo.probe import Phase
from pgagent.demo.recording import Effect, Recording
from pgagent.demo.stage import Stage
from pgagent.saver import PgAgentSaver

_BYTES = """
select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
from pg_class
where relnamespace = 'pgagent'::regnamespace and relkind = 'r'
"""

# One run after the other leaves one line of checkpoints. A worker that went on although it had lost
# its thread would leave a branch.
_BRANCHES = """
select distinct thread_id
from pgagent.checkpoints
group by thread_id, checkpoint_ns, coalesce(parent_checkpoint_id, '')
having count(*) > 1
"""


@dataclass
class Audit:
    """The counts of one run, taken from the database, the ledger, the server's log and the journal.

    Attributes:
        jobs: by status.
        kills: workers that were killed, by phase.
        stops: workers that were stopped for longer than their lease, by phase.
        deliveries: how often a job was given to a worker.
        refused: stale writes refused, by function.
        model_calls: how often the model was called; `replies` is what was recorded.
        steps_again: runs of a node for a thread and position that had one before.
        effects: rows in the ledger; `effects_expected` is what was recorded.
        stored: bytes of all tables of pgagent, with their indexes.
        said: bytes of the messages' contents.
        faults: everything that is not as it must be.
    """

    conversations: int
    jobs: Counter[str]
    kills: Counter[Phase]
    stops: Counter[Phase]
    deliveries: int
    refused: Counter[str]
    model_calls: int
    replies: int
    steps_again: int
    effects: int
    effects_expected: int
    stored: int
    said: int
    faults: list[str] = field(default_factory=list)


def audit(stage: Stage, mayhem: Mayhem) -> Audit:
    """Count, and compare every thread and its effects with its recording."""
    refused: Counter[str] = Counter()
    for (_, function), count in stage.refusals.read().items():
        refused[function] += count
    steps = Counter(stage.journal.read())
    ledger = stage.effects.by_thread()
    messages = [message for played in stage.recordings for message in played.messages]
    result = Audit(
        conversations=len(stage.recordings),
        jobs=stage.count_jobs(),
        kills=mayhem.kills,
        stops=Counter(stop.phase for stop in mayhem.stops),
        deliveries=stage.ask("select count(*) from pgagent.job_attempts")[0][0],
        refused=refused,
        model_calls=sum(count for step, count in steps.items() if step.node == "model"),
        replies=sum(len(played.replies) for played in stage.recordings),
        steps_again=sum(count - 1 for count in steps.values()),
        effects=sum(map(len, ledger.values())),
        effects_expected=sum(len(played.effects) for played in stage.recordings),
        stored=stage.ask(_BYTES)[0][0],
        said=sum(len(str(message.content).encode()) for message in messages),
        faults=list(stage.crew.faults),
    )
    result.faults.extend(
        f"{stop.worker.name} was stopped {stop.phase.label} and not refused a write afterwards"
        for stop in mayhem.stops
        if stop.refusals < 1
    )
    unfinished = result.jobs.total() - result.jobs["COMPLETED"]
    if unfinished:
        result.faults.append(f"{unfinished} jobs are not COMPLETED: {dict(result.jobs)}")
    with PgAgentSaver(stage.dsn) as saver:
        for played in stage.recordings:
            result.faults.extend(_faults(saver, played, ledger[played.thread_id]))
    result.faults.extend(
        f"{thread_id}: its history branches" for (thread_id,) in stage.ask(_BRANCHES)
    )
    strangers = ledger.keys() - {played.thread_id for played in stage.recordings}
    result.faults.extend(f"{thread_id}: effects of no conversation" for thread_id in strangers)
    return result


def _faults(saver: PgAgentSaver, played: Recording, done: list[Effect]) -> Iterator[str]:
    """What is wrong with one thread."""
    head = saver.get_tuple({"configurable": {"thread_id": played.thread_id}})
    messages = head.checkpoint["channel_values"]["messages"] if head else []
    difference = played.difference(messages)
    if difference:
        yield f"{played.thread_id}: {difference}"
    left = list(done)
    for effect in played.effects:
        if effect in left:
            left.remove(effect)
        else:
            yield f"{played.thread_id}: never done: {effect}"
    for effect in left:
        again = "done twice" if effect in played.effects else "never asked for"
        yield f"{played.thread_id}: {again}: {effect}"


def outcome(faults: int) -> str:
    """The last words."""
    return f"{faults} FAULTS" if faults else "nothing lost, nothing done twice"


def by_phase(hits: Counter[Phase]) -> str:
    """Kills or stops, in words."""
    phases = ", ".join(f"{hits[phase]} {phase.label}" for phase in Phase if hits[phase])
    return f"{hits.total()} ({phases})" if hits else "0"
