"""Whole runs of the agent: time, bytes, and how both grow."""

from __future__ import annotations

import asyncio
import gc
import itertools
import time
from typing import TYPE_CHECKING, Any

from bench import graphs
from bench.proxy import proxy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from bench.contenders import Contender, Stage
    from bench.texts import Text

Samples = dict[str, list[float]]
_numbers = itertools.count(1)


def thread_id() -> str:
    """A thread that nobody has used."""
    return f"thread-{next(_numbers)}"


def rounds(contenders: Sequence[Contender], count: int) -> Iterator[Contender]:
    """Everybody in turn, so many times; each round begins with another one."""
    for number in range(count):
        shift = number % len(contenders)
        yield from contenders[shift:]
        yield from contenders[:shift]


def run(
    contender: Contender,
    saver: BaseCheckpointSaver[Any],
    text: Text,
    turns: int,
    window: int | None = None,
) -> tuple[str, float]:
    """One invocation of the agent on a new thread: the thread, and the seconds it took."""
    thread = thread_id()
    graph = graphs.agent(saver, text, turns, state=contender.state, window=window)
    gc.collect()
    begun = time.perf_counter()
    graph.invoke(graphs.first(text), graphs.config(thread, turns), durability="sync")
    return thread, time.perf_counter() - begun


def agent(stage: Stage, keys: Sequence[str], text: Text, turns: int, count: int) -> dict[str, Any]:
    """One invocation of an agent, in sync durability: seconds, and log written."""
    seconds: Samples = {key: [] for key in keys}
    written: dict[str, int] = {}
    with stage.contenders(*keys) as contenders:
        for contender in contenders:  # connections, plans and imports
            with contender.saver() as saver:
                run(contender, saver, text, min(turns, 10))
        for contender in rounds(contenders, count):
            with contender.saver() as saver:
                run(contender, saver, text, 1)
                before = stage.wal()
                seconds[contender.key].append(run(contender, saver, text, turns)[1])
                written[contender.key] = stage.wal() - before
    written.pop("memory", None)
    return {
        "turns": turns,
        "messages": 2 * turns,
        "text": text.name,
        "seconds": seconds,
        "wal": written,
    }


def disk(stage: Stage, keys: Sequence[str], text: Text, turns: int) -> dict[str, Any]:
    """Bytes on disk of one thread, in every table and index that it needs."""
    return {
        "turns": turns,
        "raw": text.raw_bytes(2 * turns),
        "text": text.text_bytes(2 * turns),
        "sizes": {key: _sizes(stage, key, text, turns) for key in keys},
    }


def growth(
    stage: Stage, key: str, text: Text, sizes: Sequence[int], window: int | None = None
) -> dict[str, int]:
    """Bytes on disk of one thread, by its turns."""
    return {str(turns): sum(_sizes(stage, key, text, turns, window).values()) for turns in sizes}


def _sizes(
    stage: Stage, key: str, text: Text, turns: int, window: int | None = None
) -> dict[str, int]:
    """By how much a thread makes tables larger in which there is a small one already."""
    with stage.contenders(key) as [contender], contender.saver() as saver:
        run(contender, saver, text, 2)
        before = stage.sizes(contender)
        run(contender, saver, text, turns, window)
        return {part: size - before[part] for part, size in stage.sizes(contender).items()}


def throughput(
    stage: Stage,
    keys: Sequence[str],
    text: Text,
    *,
    round_trip: float,
    count: int,
    at_once: int = 32,
    connections: int = 16,
    turns: int = 10,
) -> dict[str, Any]:
    """Runs a second of many at once, over a pool, with a network between."""
    seconds: Samples = {key: [] for key in keys}
    with stage.contenders(*keys) as contenders:
        for contender in rounds(contenders, count):
            with proxy(contender.dsn, round_trip) as way:
                seconds[contender.key].append(
                    asyncio.run(_at_once(contender, way.dsn, text, at_once, connections, turns))
                )
    return {
        "round_trip": round_trip,
        "at_once": at_once,
        "connections": connections,
        "turns": turns,
        "seconds": seconds,
    }


async def _at_once(
    contender: Contender, dsn: str, text: Text, at_once: int, connections: int, turns: int
) -> float:
    async with contender.pool(dsn, connections) as pool:
        saver = contender.async_saver(pool)
        graph = graphs.agent(saver, text, turns, state=contender.state)
        await graph.ainvoke(graphs.first(text), graphs.config(thread_id(), turns))
        begun = time.perf_counter()
        await asyncio.gather(
            *(
                graph.ainvoke(
                    graphs.first(text), graphs.config(thread_id(), turns), durability="sync"
                )
                for _ in range(at_once)
            )
        )
        return time.perf_counter() - begun
