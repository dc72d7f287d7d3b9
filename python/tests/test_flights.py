"""A task's writes come after the checkpoint that the task ran from."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.graph import START, StateGraph

from pgagent import AsyncPgAgentSaver, PgAgentSaver, StaleToken
from pgagent.fence import TOKEN_KEY
from pgagent.saver import flights
from pgagent.saver.base import SaverBase
from pgagent.saver.flights import CheckpointKey, Flights
from support.family import Graph, State
from support.stage import Stage, thread


@dataclass
class Gate:
    """Where the puts of a saver wait, and what it has sent."""

    saver: SaverBase[Any]
    began: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)
    sent: list[str] = field(default_factory=list)
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8))

    def start_put(self, checkpoint: Checkpoint, config: RunnableConfig) -> Future[Any]:
        return self.pool.submit(self.saver.put, config, checkpoint, {"source": "loop"}, {})

    def start_writes(self, checkpoint_id: str) -> Future[Any]:
        config = thread(checkpoint_ns="", checkpoint_id=checkpoint_id)
        return self.pool.submit(self.saver.put_writes, config, [("log", ["x"])], "task")

    def attach(self) -> None:
        client: Any = self.saver.client  # type: ignore[attr-defined]
        send = client.run

        def run(call: Any) -> Any:
            if "put_checkpoint" in call.sql:
                self.began.set()
                assert self.opened.wait(20)
            result = send(call)
            self._note(call)
            return result

        async def arun(call: Any) -> Any:
            if "put_checkpoint" in call.sql:
                self.began.set()
                assert await asyncio.to_thread(self.opened.wait, 20)
            result = await send(call)
            self._note(call)
            return result

        client.run = arun if isinstance(self.saver, AsyncPgAgentSaver) else run

    def _note(self, call: Any) -> None:
        self.sent.append(call.sql.split("pgagent.")[1].split("(")[0])


@contextmanager
def on_a_loop(dsn: str) -> Iterator[AsyncPgAgentSaver]:
    """An async saver whose sync methods may be called: its loop runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever)
    running.start()

    def wait(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    saver = AsyncPgAgentSaver(dsn, max_size=4)
    try:
        wait(saver.aget_tuple(thread("another")))
        yield saver
    finally:
        wait(saver.close())
        loop.call_soon_threadsafe(loop.stop)
        running.join()
        loop.close()


@pytest.fixture(params=["sync", "async"])
def saver(request: pytest.FixtureRequest, stage: Stage) -> Iterator[SaverBase[Any]]:
    with (
        PgAgentSaver(stage.dsn, max_size=4)
        if request.param == "sync"
        else on_a_loop(stage.dsn) as found
    ):
        yield found


@pytest.fixture
def gate(saver: SaverBase[Any]) -> Iterator[Gate]:
    gate = Gate(saver)
    gate.attach()
    yield gate
    gate.opened.set()
    gate.pool.shutdown()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], None]:
    def set_to(unknown: float, put: float) -> None:
        monkeypatch.setattr(flights, "UNKNOWN_SECONDS", unknown)
        monkeypatch.setattr(flights, "PUT_SECONDS", put)

    return set_to


def stored_writes(stage: Stage) -> int:
    (count,) = stage.conn.execute("select count(*) from pgagent.checkpoint_writes").fetchone() or ()
    return int(count)


def is_held(writes: Future[Any], seconds: float = 0.3) -> bool:
    return bool(futures.wait([writes], seconds).not_done)


def test_writes_wait_for_a_put_that_is_under_way(gate: Gate, patience: Any) -> None:
    patience(0.05, 20)
    checkpoint = empty_checkpoint()
    put = gate.start_put(checkpoint, thread())
    assert gate.began.wait(5)
    writes = gate.start_writes(checkpoint["id"])
    assert is_held(writes)
    gate.opened.set()
    put.result(5)
    writes.result(5)
    assert gate.sent == ["put_checkpoint", "put_writes"]


def test_writes_fail_with_the_put_they_waited_for(stage: Stage, gate: Gate, patience: Any) -> None:
    patience(20, 20)
    run = stage.client.start_run("t", "worker")
    checkpoint = empty_checkpoint()
    put = gate.start_put(checkpoint, thread(**{TOKEN_KEY: run.fencing_token + 1}))
    assert gate.began.wait(5)
    writes = gate.start_writes(checkpoint["id"])
    gate.opened.set()
    for refused in (put, writes):
        with pytest.raises(StaleToken):
            refused.result(5)
    assert gate.sent == []
    assert stored_writes(stage) == 0


def test_writes_that_come_after_their_put_has_failed_fail_with_it(
    stage: Stage, gate: Gate, patience: Any
) -> None:
    patience(20, 20)
    run = stage.client.start_run("t", "worker")
    checkpoint = empty_checkpoint()
    gate.opened.set()
    put = gate.start_put(checkpoint, thread(**{TOKEN_KEY: run.fencing_token + 1}))
    with pytest.raises(StaleToken):
        put.result(5)
    del put
    gc.collect()
    for _ in range(2):
        with pytest.raises(StaleToken) as refused:
            gate.start_writes(checkpoint["id"]).result(5)
        assert "newest token" in refused.value.detail
    assert gate.sent == []
    assert stored_writes(stage) == 0
    stage.client.complete_job(run.job_id, run.fencing_token)
    gate.start_put(checkpoint, thread()).result(5)
    gate.start_writes(checkpoint["id"]).result(5)
    assert stored_writes(stage) == 1


def test_writes_wait_for_a_put_that_begins_after_them(gate: Gate, patience: Any) -> None:
    patience(20, 20)
    checkpoint = empty_checkpoint()
    writes = gate.start_writes(checkpoint["id"])
    assert is_held(writes)
    put = gate.start_put(checkpoint, thread())
    gate.opened.set()
    put.result(5)
    writes.result(5)
    assert gate.sent == ["put_checkpoint", "put_writes"]


def test_writes_of_a_checkpoint_that_nobody_puts_are_stored_after_a_moment(
    stage: Stage, gate: Gate, patience: Any
) -> None:
    patience(0.1, 20)
    writes = gate.start_writes(empty_checkpoint()["id"])
    assert is_held(writes, 0.05)
    writes.result(5)
    assert stored_writes(stage) == 1


def test_writes_do_not_wait_for_ever(stage: Stage, gate: Gate, patience: Any) -> None:
    patience(0.05, 0.05)
    checkpoint = empty_checkpoint()
    gate.start_put(checkpoint, thread())
    assert gate.began.wait(5)
    with pytest.raises(TimeoutError, match=checkpoint["id"]):
        gate.start_writes(checkpoint["id"]).result(5)
    assert gate.sent == []


@pytest.mark.parametrize("known", ["put", "get_tuple", "list"])
def test_writes_of_a_checkpoint_that_is_known_do_not_wait(
    stage: Stage, saver: Any, patience: Any, known: str
) -> None:
    patience(600, 600)
    checkpoint = empty_checkpoint()
    by = saver if known == "put" else PgAgentSaver(stage.conn)
    by.put(thread(checkpoint_ns=""), checkpoint, {"source": "loop"}, {})
    if known == "get_tuple":
        assert saver.get_tuple(thread())
    if known == "list":
        assert list(saver.list(thread()))
    config = thread(checkpoint_ns="", checkpoint_id=checkpoint["id"])
    with ThreadPoolExecutor(1) as pool:
        pool.submit(saver.put_writes, config, [("log", ["x"])], "task").result(5)


async def test_writes_fail_when_the_put_is_cancelled(stage: Stage, patience: Any) -> None:
    patience(20, 20)
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        saver.client.run = lambda call: asyncio.sleep(20)  # type: ignore[method-assign]
        checkpoint = empty_checkpoint()
        put = asyncio.create_task(saver.aput(thread(), checkpoint, {}, {}))
        config = thread(checkpoint_ns="", checkpoint_id=checkpoint["id"])
        writes = asyncio.create_task(saver.aput_writes(config, [("log", ["x"])], "task"))
        await asyncio.sleep(0.05)
        put.cancel()
        with pytest.raises(RuntimeError, match="given up"):
            await asyncio.wait_for(writes, 5)


def test_what_is_known_is_bounded() -> None:
    known = Flights(size=2)
    keys = [CheckpointKey("t", "", str(n)) for n in range(3)]
    for key in keys:
        known.note(key)
    assert [list(known.before_writes(key)) == [] for key in keys[1:]] == [True, True]
    waits = known.before_writes(keys[0])
    assert next(waits)[1] == flights.UNKNOWN_SECONDS
    assert list(waits) == []
    del waits
    gc.collect()
    assert len(known._stored) == 2
    assert len(known._flights) == 0


def test_what_failed_is_bounded_and_holds_on_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__("odd")

    def fail(key: CheckpointKey) -> weakref.ref[set[CheckpointKey]]:
        value = {key}  # sets can be referred to weakly
        with suppress(Odd), puts.put(key):
            raise Odd(1, 2)
        return weakref.ref(value)

    monkeypatch.setattr(flights, "_FAILED", 2)
    puts = Flights()
    keys = [CheckpointKey("t", "", str(n)) for n in range(3)]
    values = [fail(key) for key in keys]
    gc.collect()
    assert [ref() for ref in values] == [None] * 3
    for key in keys[1:]:
        with pytest.raises(RuntimeError, match="Odd"):
            next(puts.before_writes(key))
    assert next(puts.before_writes(keys[0]))[1] == flights.UNKNOWN_SECONDS


def test_of_two_puts_of_a_checkpoint_the_one_that_succeeds_counts() -> None:
    puts = Flights()
    key = CheckpointKey("t", "", "1")
    with puts.put(key):
        with pytest.raises(ValueError, match="first"), puts.put(key):
            raise ValueError("first")
        landed, _ = next(puts.before_writes(key))
        assert not landed.done()
    assert landed.result() is None
    assert list(puts.before_writes(key)) == []


def slow_graph(saver: SaverBase[Any]) -> Graph:
    graph = StateGraph(State)
    for name in "abc":
        graph.add_node(name, lambda state, name=name: {"log": [name]})
    graph.add_edge(START, "a").add_edge(START, "b").add_edge("a", "c").add_edge("b", "c")
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_thread_can_be_deleted_and_begun_anew_however_slow_its_puts_are(
    stage: Stage, durability: Any
) -> None:
    with PgAgentSaver(stage.dsn, max_size=8) as saver:
        send, sent = saver.client.run, []

        def run(call: Any) -> Any:
            if "put_checkpoint" in call.sql:
                threading.Event().wait(0.03)
            result = send(call)
            sent.append(call)
            return result

        saver.client.run = run  # type: ignore[method-assign]
        graph = slow_graph(saver)
        for _ in range(3):
            result = graph.invoke({"log": ["in"]}, thread(), durability=durability)
            assert result["log"] == ["in", "a", "b", "c"]
            assert graph.get_state(thread()).values == result
            saver.delete_thread("t")
    assert are_in_order(sent)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_a_thread_can_be_deleted_and_begun_anew_with_await(
    stage: Stage, durability: Any
) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=8) as saver:
        send, sent = saver.client.run, []

        async def run(call: Any) -> Any:
            if "put_checkpoint" in call.sql:
                await asyncio.sleep(0.03)
            result = await send(call)
            sent.append(call)
            return result

        saver.client.run = run  # type: ignore[method-assign]
        graph = slow_graph(saver)
        for _ in range(3):
            result = await graph.ainvoke({"log": ["in"]}, thread(), durability=durability)
            assert result["log"] == ["in", "a", "b", "c"]
            assert (await graph.aget_state(thread())).values == result
            await saver.adelete_thread("t")
    assert are_in_order(sent)


def are_in_order(sent: list[Any]) -> bool:
    """Whether no writes were stored before their checkpoint."""
    stored = set()
    for call in sent:
        header = call.params[0]
        if "put_checkpoint" in call.sql:
            stored.add(id_in(header))
        elif "put_writes" in call.sql and id_in(header) not in stored:
            return False
    return bool(stored)


def id_in(header: str) -> str:
    return str(header).split('"checkpoint_id": "')[1].split('"')[0]
