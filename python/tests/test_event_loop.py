"""The async saver and its event loop: it holds it up neither by work nor by waiting."""

from __future__ import annotations

import asyncio
import gc
import random
import string
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from pgagent import AsyncPgAgentSaver
from pgagent.fence import holding
from support.chains import async_chain, chain
from support.checkpoints import checkpoint_of
from support.stage import Stage, thread


@pytest.fixture
async def saver(stage: Stage) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


# --- heavy values

BYTES = 20_000_000
STALL = 0.1
LETTERS = "".join(random.Random(1).choices(string.ascii_letters, k=1_000))


def messages() -> Any:
    return [AIMessage(f"{LETTERS[:500]}{n}") for n in range(BYTES // 500)]


def nested() -> Any:
    return {f"k{n}": {"text": LETTERS, "more": [1, 2, 3]} for n in range(BYTES // 1_000)}


def text() -> Any:
    return LETTERS * (BYTES // 1_000)


@contextmanager
def without_collector() -> Iterator[None]:
    """So many objects make Python look for garbage, for half a second at a time."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.fixture
async def stalls() -> AsyncIterator[Callable[[], float]]:
    """Gives the longest time that the loop was held up since it was asked last."""
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            longest = max(longest, time.perf_counter() - before - 0.01)

    def ask() -> float:
        nonlocal longest
        found, longest = longest, 0.0
        return found

    ticking = asyncio.create_task(tick())
    yield ask
    ticking.cancel()


@pytest.mark.filterwarnings("ignore:channel")
@pytest.mark.parametrize("value", [text, messages, nested])
async def test_a_state_of_20_megabytes_does_not_stall_the_event_loop(
    stage: Stage, stalls: Callable[[], float], value: Callable[[], Any]
) -> None:
    """The best of some tries: the machine may have other things to do."""
    found: dict[str, list[float]] = {"put": [], "put_writes": [], "get": []}
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver:
        for attempt in range(8):
            config = thread(f"t{attempt}", checkpoint_ns="")
            checkpoint = checkpoint_of("1", state=value())
            with without_collector():
                await asyncio.sleep(0.02)
                stalls()
                stored = await saver.aput(config, checkpoint, {}, {"state": "1"})
                await asyncio.sleep(0.02)
                found["put"].append(stalls())
                writes = [("state", checkpoint["channel_values"]["state"])]
                await saver.aput_writes(stored, writes, "task")
                await asyncio.sleep(0.02)
                found["put_writes"].append(stalls())
                kept = await saver.aget_tuple(config)  # to throw it away takes time too
                await asyncio.sleep(0.02)
                found["get"].append(stalls())
                assert kept
            if all(min(times) < STALL for times in found.values()):
                return
    pytest.fail(f"seconds that the loop stood still: {found}")


async def test_large_values_are_serialised_while_all_threads_of_the_loop_wait(
    stage: Stage,
) -> None:
    """Sync nodes take the loop's threads, and may wait there for the saver."""
    go_on = threading.Event()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    waiting = loop.run_in_executor(None, go_on.wait, 20)
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver, asyncio.timeout(10):
        checkpoint = checkpoint_of("1", state=LETTERS * 500)
        await saver.aput(thread(checkpoint_ns=""), checkpoint, {}, {"state": "1"})
    go_on.set()
    assert await waiting


async def test_the_token_of_a_call_without_a_configurable_reaches_a_large_put(
    stage: Stage,
) -> None:
    run = stage.client.start_run("t", "worker")
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver:
        checkpoint = checkpoint_of("1", state=LETTERS * 500)
        with holding("t", run.fencing_token):
            await saver.aput(thread(checkpoint_ns=""), checkpoint, {}, {"state": "1"})


# --- sync methods


@pytest.mark.timeout(20)
async def test_the_sync_methods_raise_on_the_savers_own_loop(saver: AsyncPgAgentSaver) -> None:
    await saver.aget_tuple(thread())
    with pytest.raises(RuntimeError, match="block the event loop"):
        saver.get_tuple(thread())


async def test_the_sync_methods_raise_before_the_saver_has_a_loop(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn)
    with pytest.raises(RuntimeError, match="PgAgentSaver"):
        await asyncio.to_thread(saver.get_tuple, thread())
    await saver.close()


async def test_the_sync_methods_work_from_another_thread(saver: AsyncPgAgentSaver) -> None:
    graph = async_chain(saver, "a")
    await graph.ainvoke({"log": ["in"]}, thread())
    state = await asyncio.to_thread(graph.get_state, thread())
    assert state.values["log"] == ["in", "a"]
    await asyncio.to_thread(graph.update_state, thread(), {"log": ["edit"]})
    found = await asyncio.to_thread(lambda: list(saver.list(thread(), limit=1)))
    assert found[0].metadata["source"] == "update"
    await asyncio.to_thread(saver.delete_thread, "t")
    assert await saver.aget_tuple(thread()) is None


def test_savers_can_be_made_before_there_is_a_loop(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn)
    graph = chain(saver, "a")

    async def run() -> Any:
        async with saver:
            return await graph.ainvoke({"log": []}, thread())

    assert asyncio.run(run())["log"] == ["a"]
