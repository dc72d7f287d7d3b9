"""What nothing leads to is swept, and nothing else, whoever puts meanwhile."""

from __future__ import annotations

import operator
import random
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, Any

import psycopg
import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from pgagent import AsyncClient, BadArgument, PgAgentSaver
from pgagent.saver import flights
from support.checkpoints import checkpoint_of
from support.family import Graph
from support.stage import Stage, thread

RACES = 1_000

# A test build: whoever comes to a gate waits while the test holds the lock of its number.
GATES = """
create function pgagent_test.gate(number integer) returns void language plpgsql as $$
begin
  perform pg_advisory_lock_shared(number);
  perform pg_advisory_unlock_shared(number);
end
$$;

alter function pgagent._count_orphans rename to _look;
create function pgagent._count_orphans(thread_id text, stored_before timestamptz)
returns table (
  versions bigint, version_bytes bigint, items bigint, item_bytes bigint, writes bigint,
  write_bytes bigint
) language plpgsql as $$
begin
  return query select f.* from pgagent._look($1, $2) as f;
  perform pgagent_test.gate(1);  -- has looked, and has not locked
end
$$;

alter function pgagent._delete_orphans rename to _delete;
create function pgagent._delete_orphans(thread_id text, stored_before timestamptz)
returns table (
  versions bigint, version_bytes bigint, items bigint, item_bytes bigint, writes bigint,
  write_bytes bigint
) language plpgsql as $$
begin
  perform pgagent_test.gate(2);  -- holds the thread, and has deleted nothing
  return query select f.* from pgagent._delete($1, $2) as f;
end
$$;

create function pgagent_test.stored() returns trigger language plpgsql as $$
begin
  perform pgagent_test.gate(3);  -- a put has stored its values, and has not committed
  return null;
end
$$;
create trigger stored after insert on pgagent.checkpoint_blobs
for each statement execute function pgagent_test.stored();
"""
LOOKED, HOLDING, PUTTING = 1, 2, 3


class Races:
    """A thread with a list that is told as parts of versions which nothing leads to."""

    def __init__(self, stage: Stage, saver: PgAgentSaver, holder: psycopg.Connection) -> None:
        self.stage, self.saver, self.holder = stage, saver, holder
        self.reader = PgAgentSaver(stage.conn)
        self.random = random.Random(7)
        self.pool = ThreadPoolExecutor(2)
        self.log: list[Any] = []
        self.version: str | None = None
        self.swept = self.skipped = self.told_as_items = 0

    @contextmanager
    def gate(self, number: int) -> Iterator[None]:
        """Within the block the gate is closed, and somebody has come to it when it is left."""
        self.holder.execute("select pg_advisory_lock(%s)", (number,))
        try:
            yield
        finally:
            self.holder.execute("select pg_advisory_unlock(%s)", (number,))

    def wait_for(self, work: Future[Any], kind: str, number: int | None = None) -> None:
        """Until somebody waits for a lock: at a gate, or for a thread."""
        while not self.stage.conn.execute(
            "select 1 from pg_locks where not granted and locktype = %s"
            " and (%s::int is null or objid = %s)",
            (kind, number, number),
        ).fetchone():
            assert not work.done(), work.result()
            time.sleep(0.0005)

    def sweep(self) -> None:
        found = self.saver.client.sweep_orphans()
        self.swept += found.versions + found.items + found.writes
        self.skipped += found.skipped

    def change(self) -> None:
        for _ in range(self.random.randint(1, 3)):
            place = self.random.randrange(len(self.log) + 1)
            match self.random.choice("aaaeet"):
                case "a":
                    self.log.append({"text": "x" * 300, "n": self.random.random()})
                case "e" if place < len(self.log):
                    self.log[place] = {"text": "y" * 300, "n": self.random.random()}
                case "t":
                    del self.log[place : place + 2]

    def checkpoint(self) -> Any:
        self.change()
        self.version = self.saver.get_next_version(self.version, None)
        return checkpoint_of(self.version, log=list(self.log))

    def put(self, checkpoint: Any) -> Any:
        new = {"log": checkpoint["channel_versions"]["log"]}
        return self.saver.put(thread(checkpoint_ns=""), checkpoint, {"source": "loop"}, new)

    def prepare(self) -> Any:
        """A list in items that no checkpoint names, and writes of a checkpoint to come."""
        for _ in range(3):
            self.put(self.checkpoint())
        self.stage.conn.execute("delete from pgagent.checkpoints")
        last = self.stage.conn.execute(
            "select runs from pgagent.checkpoint_blobs where version = %s", (self.version,)
        ).fetchone()
        self.told_as_items += bool(last and last[0])
        checkpoint = self.checkpoint()
        config = thread(checkpoint_ns="", checkpoint_id=checkpoint["id"])
        self.saver.put_writes(config, [("log", ["w"])], "task")
        self.stage.conn.execute("select pgagent_test.advance_for_all('2 days')")
        return checkpoint

    def race(self, gate: int) -> None:
        checkpoint = self.prepare()
        second: Future[Any]
        with self.gate(gate):
            if gate == LOOKED:  # the put commits between look and lock
                second = self.pool.submit(self.sweep)
                self.wait_for(second, "advisory", gate)
                self.put(checkpoint)
            elif gate == PUTTING:  # the sweep comes while the put is under way
                second = self.pool.submit(self.put, checkpoint)
                self.wait_for(second, "advisory", gate)
                self.sweep()
            else:  # the put comes while the sweep holds the thread
                first = self.pool.submit(self.sweep)
                self.wait_for(first, "advisory", gate)
                second = self.pool.submit(self.put, checkpoint)
                self.wait_for(second, "transactionid")
        second.result(20)
        if gate == HOLDING:
            first.result(20)
        self.check(checkpoint, has_writes=gate != HOLDING)

    def check(self, checkpoint: Any, *, has_writes: bool) -> None:
        found = self.reader.get_tuple(thread())
        assert found is not None
        assert found.config["configurable"]["checkpoint_id"] == checkpoint["id"]
        assert found.checkpoint["channel_values"]["log"] == self.log
        assert found.pending_writes == ([("task", "log", ["w"])] if has_writes else [])


@pytest.mark.timeout(300)
def test_a_thousand_puts_that_commit_while_a_sweep_looks_lose_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writes come without the checkpoint that they belong to, and are older than any grace."""
    monkeypatch.setattr(flights, "UNKNOWN_SECONDS", 0)
    stage.conn.execute(GATES)
    with (
        PgAgentSaver(stage.dsn, max_size=4) as saver,
        psycopg.connect(stage.conn.info.dsn, autocommit=True) as holder,
    ):
        races = Races(stage, saver, holder)
        for n in range(RACES):
            races.race((LOOKED, PUTTING, HOLDING)[n % 3])
        races.pool.shutdown()
    assert races.told_as_items > RACES * 0.9
    assert races.skipped == RACES // 3
    assert races.swept > RACES


# --- trees


def extended(log: list[str], writes: list[list[str]]) -> list[str]:
    return [*log, *(item for write in writes for item in write)]


class Tree(TypedDict):
    log: Annotated[list[str], DeltaChannel(extended, snapshot_frequency=5)]
    memory: Annotated[list[str], operator.add]
    note: str


def tree(saver: PgAgentSaver) -> Graph:
    """A delta channel, a list, a subgraph a call, one that remembers, and a question."""
    inner = StateGraph(Tree)
    inner.add_node("s", lambda state: {"memory": ["s" * 200], "log": ["s"]}).add_edge(START, "s")
    outer = StateGraph(Tree)
    outer.add_node("calls", inner.compile())
    outer.add_node("remembers", inner.compile(checkpointer=True))
    outer.add_node("ask", lambda state: {"memory": [interrupt("?")], "note": "n" * 100})
    outer.add_edge(START, "calls").add_edge("calls", "remembers").add_edge("remembers", "ask")
    return outer.compile(checkpointer=saver)


def grow(graph: Graph, rng: random.Random) -> None:
    graph.invoke({"log": ["in"], "memory": ["m" * 200]}, thread(), durability="sync")
    for n in range(rng.randint(4, 9)):
        states = list(graph.get_state_history(thread()))
        match rng.choice(("resume", "resume", "input", "edit", "again")):
            case "resume" if states[0].interrupts:
                graph.invoke(Command(resume=f"{n}"), thread(), durability="sync")
            case "edit":
                update = {"log": [f"edit {n}"], "memory": ["e" * 200]}
                graph.update_state(rng.choice(states).config, update, as_node="calls")
            case "again":
                graph.invoke(None, rng.choice(states).config, durability="sync")
            case _:
                graph.invoke({"log": [f"{n}"], "memory": ["m" * 200]}, thread(), durability="sync")


def told(saver: PgAgentSaver) -> list[Any]:
    return [
        (t.config, t.checkpoint, t.metadata, t.parent_config, t.pending_writes)
        for t in saver.list(thread())
    ]


LITTER = (
    """insert into pgagent.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob,
         runs)
       select thread_id, checkpoint_ns, channel, version || 'x', type, blob, runs
       from pgagent.checkpoint_blobs""",
    """insert into pgagent.checkpoint_items (thread_id, checkpoint_ns, channel, seq, type, blob)
       select thread_id, checkpoint_ns, channel, seq + 100000, type, blob
       from pgagent.checkpoint_items""",
    """insert into pgagent.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx,
         channel, type, blob)
       select thread_id, checkpoint_ns, checkpoint_id || 'x', task_id, idx, channel, type, blob
       from pgagent.checkpoint_writes""",
)


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_reads_as_before(stage: Stage, seed: int) -> None:
    with PgAgentSaver(stage.dsn, max_size=2) as saver:
        graph = tree(saver)
        grow(graph, random.Random(seed))
        before, states = told(saver), list(graph.get_state_history(thread()))
        nothing = saver.client.sweep_orphans(grace=0)
        assert (nothing.versions, nothing.items, nothing.writes) == (0, 0, 0)
        litter = [stage.conn.execute(statement).rowcount for statement in LITTER]
        assert all(litter)
        swept = saver.client.sweep_orphans(grace=0)
        assert [swept.versions, swept.items, swept.writes] == litter
        with PgAgentSaver(stage.dsn, max_size=1) as other:
            assert told(other) == before
            assert list(tree(other).get_state_history(thread())) == states


# --- cost

THREAD = """
with made as (
  select n, case when %(namespaces)s then 'call:' || n / 2 else '' end as ns
  from generate_series(1, %(count)s) as n
), sessions as (
  insert into pgagent.agent_sessions (thread_id) values (%(thread)s)
), checkpoints as (
  insert into pgagent.checkpoints (
    thread_id, checkpoint_ns, checkpoint_id, seq, checkpoint, metadata, created_at
  )
  select %(thread)s, ns, 'c' || n, n,
    jsonb_build_object('channel_versions', jsonb_build_object(
      'a', n::text, 'b', n::text, 'c', n::text, 'messages', n::text
    )), '{}', now()
  from made
), blobs as (
  insert into pgagent.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
  select %(thread)s, ns, channel, n::text, 'null', ''
  from made cross join unnest(array['a', 'b', 'c']) as x (channel)
), lists as (
  insert into pgagent.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, runs)
  select %(thread)s, ns, 'messages', n::text, 'list', array[int4range(1, 2 * n + 1)] from made
), items as (
  insert into pgagent.checkpoint_items (thread_id, checkpoint_ns, channel, seq, type, blob)
  select %(thread)s, ns, 'messages', 2 * n + x, 'null', 'item'
  from made cross join generate_series(-1, 0) as x
)
insert into pgagent.checkpoint_writes (
  thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob
)
select %(thread)s, ns, case when n %% 10 = 0 then 'x' else 'c' end || n, 't', x, 'a', 'null', 'w'
from made cross join generate_series(0, 2) as x
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize("namespaces", [False, True])
def test_the_cost_of_a_thread_is_linear(stage: Stage, namespaces: bool, analyzed: bool) -> None:
    """Four times the checkpoints take about four times as long, and not sixteen, whatever the
    planner knows."""
    stage.client.sweep_orphans()  # plans are made on empty tables
    stage.conn.execute("alter table pgagent.checkpoints set (autovacuum_enabled = off)")
    counts = (1_250, 5_000)
    for count in counts:
        parameters = {"count": count, "thread": f"t{count}", "namespaces": namespaces}
        stage.conn.execute(THREAD, parameters)
    if analyzed:
        stage.conn.execute("analyze")
    seconds: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(6):  # in turns: the machine may have other things to do
        for count, times in seconds.items():
            began = time.perf_counter()
            found = stage.client.sweep_orphans(
                grace=0, max_threads=1, after_thread=f"t{count}"[:-1], dry_run=True
            )
            times.append(time.perf_counter() - began)
            assert (found.versions, found.items, found.writes) == (0, 0, count * 3 // 10)
    few, many = (min(times) for times in seconds.values())
    print(f"{few * 1000:.0f} ms, {many * 1000:.0f} ms")
    assert many < 9 * few, seconds


# --- the client


async def test_the_client_tells_what_was_swept(stage: Stage) -> None:
    stage.client.create_session("t")
    async with AsyncClient(stage.dsn) as client:
        found = await client.sweep_orphans(grace=timedelta(hours=1), dry_run=True)
        assert found == (None, 1, 0, 0, 0, 0, 0, 0, 0)
        stage.client.start_run("t", "worker", lease=7200)
        with pytest.raises(BadArgument, match="longest lease"):
            await client.sweep_orphans(grace=3600)
