"""Single calls of a saver: put, put_writes, get_tuple, list; with a snapshot held, and memory."""

from __future__ import annotations

import gc
import multiprocessing
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import psutil
import psycopg
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

from bench.proxy import proxy
from bench.runs import Samples, rounds, run, thread_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.messages import AnyMessage
    from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint

    from bench.contenders import Contender, Stage
    from bench.texts import Text


class Thread:
    """A thread of one list channel, stored step by step as LangGraph's loop does."""

    def __init__(self, saver: BaseCheckpointSaver[Any], text: Text) -> None:
        self._saver = saver
        self._text = text
        self._step = -1
        self._version: str | None = None
        self._said = 0
        self.messages: list[AnyMessage] = []
        self.config: Any = {"configurable": {"thread_id": thread_id(), "checkpoint_ns": ""}}

    def say(self, window: int | None = None) -> None:
        """Adds a message, with an id as in a graph; drops all but the last ones."""
        message = self._text.at(self._said)
        message.id = str(uuid6())
        self._said += 1
        self.messages = [*self.messages, message][-(window or 0) :]

    def put(self) -> float:
        """Stores a checkpoint with the messages as they are; seconds."""
        self._step += 1
        version = self._saver.get_next_version(self._version, None)
        seen = {"model": {"branch:to:model": self._version or version}, "__input__": {}}
        checkpoint: Checkpoint = {
            **empty_checkpoint(),
            "id": str(uuid6(clock_seq=self._step)),
            "channel_values": {
                "messages": self.messages,
                "count": self._step,
                "branch:to:tools": None,
            },
            "channel_versions": dict.fromkeys(
                ("messages", "count", "branch:to:model", "branch:to:tools"), version
            ),
            "versions_seen": seen,
            "updated_channels": ["branch:to:tools", "count", "messages"],
        }
        new = {"messages": version, "count": version, "branch:to:tools": version}
        begun = time.perf_counter()
        self.config = self._saver.put(
            self.config, checkpoint, {"source": "loop", "step": self._step, "parents": {}}, new
        )
        took = time.perf_counter() - begun
        self._version = version
        return took

    def put_writes(self) -> float:
        """Stores what a task wrote from here: a message, a number, the next node; seconds."""
        writes = [
            ("messages", [self._text.at(self._said)]),
            ("count", self._step),
            ("branch:to:tools", None),
        ]
        task = str(uuid6())
        begun = time.perf_counter()
        self._saver.put_writes(self.config, writes, task, "~__pregel_pull, model")
        return time.perf_counter() - begun


def writes(
    stage: Stage, keys: Sequence[str], text: Text, *, messages: int, count: int, timed: int
) -> dict[str, Any]:
    """Seconds of put and put_writes on a thread that has grown to so many messages."""
    put: Samples = {key: [] for key in keys}
    put_writes: Samples = {key: [] for key in keys}
    with ExitStack() as stack:
        contenders = stack.enter_context(stage.contenders(*keys))
        savers = {c.key: stack.enter_context(c.saver()) for c in contenders}
        for contender in rounds(contenders, count):
            thread = Thread(savers[contender.key], text)
            for number in range(messages + timed):
                thread.say()
                # Grown from nothing, but in large steps: no store may gain by that.
                if number > 12 and number < messages - 8:
                    continue
                took, wrote = thread.put(), thread.put_writes()
                if number >= messages:
                    put[contender.key].append(took)
                    put_writes[contender.key].append(wrote)
    return {"messages": messages, "put": put, "put_writes": put_writes}


def reads(stage: Stage, keys: Sequence[str], text: Text, turns: int, count: int) -> dict[str, Any]:
    """Seconds and bytes of get_tuple and of a list of all checkpoints, after a run of the agent."""
    get: Samples = {key: [] for key in keys}
    all_: Samples = {key: [] for key in keys}
    received: dict[str, dict[str, int]] = {}
    threads: dict[str, Any] = {}
    with ExitStack() as stack:
        contenders = stack.enter_context(stage.contenders(*keys))
        for contender in contenders:
            with contender.saver() as saver:
                thread, _ = run(contender, saver, text, turns)
            threads[contender.key] = {"configurable": {"thread_id": thread}}
            stage.sizes(contender)  # vacuum and analyze, as a server does in time
            received[contender.key] = _received(contender, threads[contender.key])
        savers = {c.key: stack.enter_context(c.saver()) for c in contenders}
        for contender in rounds(contenders, count):
            saver, config = savers[contender.key], threads[contender.key]
            for _ in range(10):
                get[contender.key].append(_seconds(lambda: saver.get_tuple(config)))  # noqa: B023
            all_[contender.key].append(_seconds(lambda: list(saver.list(config))))  # noqa: B023
    return {"messages": 2 * turns, "get": get, "list": all_, "received": received}


def _received(contender: Contender, config: Any) -> dict[str, int]:
    with proxy(contender.dsn) as way, contender.saver(way.dsn) as saver:
        saver.get_tuple(config)
        time.sleep(0.1)
        before = way.received
        saver.get_tuple(config)
        time.sleep(0.1)
        between = way.received
        list(saver.list(config))
        time.sleep(0.1)
        return {"get": between - before, "list": way.received - between}


def _seconds(call: Callable[[], Any]) -> float:
    gc.collect()
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def held(
    stage: Stage, keys: Sequence[str], text: Text, *, puts: int, window: int = 20
) -> dict[str, Any]:
    """Seconds of each put of one thread while another session holds a snapshot."""
    found: Samples = {key: [] for key in keys}
    with ExitStack() as stack:
        contenders = stack.enter_context(stage.contenders(*keys))
        for contender in contenders:
            holder = stack.enter_context(psycopg.connect(stage.server.dsn(contender.database)))
            holder.execute("set transaction isolation level repeatable read")
            holder.execute("select txid_current()")
        threads = {
            contender.key: Thread(stack.enter_context(contender.saver()), text)
            for contender in contenders
        }
        for contender in rounds(contenders, puts // 100):
            for _ in range(100):
                threads[contender.key].say(window)
                found[contender.key].append(threads[contender.key].put())
    return {"puts": puts, "window": window, "put": found}


def memory(stage: Stage, text: Text, *, threads: int, messages: int) -> dict[str, Any]:
    """Resident memory of a process whose saver has stored many threads: before and after, bytes."""
    with stage.contenders("ours") as [contender]:
        spawn = multiprocessing.get_context("spawn")
        here, there = spawn.Pipe()
        arguments = (contender.dsn, text, threads, messages, there)
        process = spawn.Process(target=_store_threads, args=arguments)
        process.start()
        before, after = here.recv()
        process.join()
    return {"threads": threads, "messages": messages, "before": before, "after": after}


def _store_threads(dsn: str, text: Text, threads: int, messages: int, there: Any) -> None:
    from pgagent.saver import PgAgentSaver

    process = psutil.Process()
    with PgAgentSaver.from_conn_string(dsn) as saver:
        before = 0
        for number in range(threads + 1):
            thread = Thread(saver, text)
            for _ in range(messages - 1):
                thread.say()
            thread.put()
            thread.say()
            thread.put()
            if number == 0:
                before = process.memory_info().rss
        there.send((before, process.memory_info().rss))
