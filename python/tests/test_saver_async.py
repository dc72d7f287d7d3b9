"""The async saver, and the conformance of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from pgagent import AsyncPgAgentSaver, PgAgentSaver, StaleToken, ThreadBusy, ThreadGone
from pgagent.fence import TOKEN_KEY
from support.chains import async_chain
from support.stage import Stage, thread

CAPABILITIES = [capability.value for capability in Capability]


@pytest.fixture
async def saver(stage: Stage) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


# --- conformance


class Adapter(BaseCheckpointSaver[str]):
    """The sync saver as the suite wants it: it looks for async methods, and skips what has none."""

    def __init__(self, saver: PgAgentSaver) -> None:
        super().__init__()
        self.saver = saver

    async def aget_tuple(self, config: RunnableConfig) -> Any:
        return await asyncio.to_thread(self.saver.get_tuple, config)

    async def alist(self, config: RunnableConfig | None, **options: Any) -> AsyncIterator[Any]:
        found = await asyncio.to_thread(lambda: list(self.saver.list(config, **options)))
        for one in found:
            yield one

    async def aput(self, *args: Any) -> RunnableConfig:
        return await asyncio.to_thread(self.saver.put, *args)

    async def aput_writes(self, *args: Any, **options: Any) -> None:
        await asyncio.to_thread(lambda: self.saver.put_writes(*args, **options))

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.saver.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Any) -> None:
        await asyncio.to_thread(self.saver.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.saver.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Any, **options: Any) -> None:
        await asyncio.to_thread(lambda: self.saver.prune(thread_ids, **options))


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_the_saver_conforms(stage: Stage, kind: str, capability: str) -> None:
    @checkpointer_test(name=f"{kind} {capability}")
    async def factory() -> AsyncIterator[Any]:
        if kind == "async":
            async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
                yield saver
        else:
            with PgAgentSaver(stage.dsn, max_size=4) as saver:
                yield Adapter(saver)

    report = await validate(factory, capabilities={capability})
    result = report.results[capability]
    assert result.failures == []
    assert result.detected
    assert result.tests_passed > 0
    assert result.tests_failed == result.tests_skipped == 0


# --- runs


async def test_a_run_is_stored_and_read(saver: AsyncPgAgentSaver) -> None:
    graph = async_chain(saver, "abc")
    result = await graph.ainvoke({"log": ["in"]}, thread(), durability="sync")
    assert (await graph.aget_state(thread())).values == result
    assert result["log"] == ["in", "a", "b", "c"]
    steps = [found.metadata["step"] async for found in saver.alist(thread())]
    assert steps == [3, 2, 1, 0, -1]


async def test_many_runs_share_a_pool(stage: Stage, saver: AsyncPgAgentSaver) -> None:
    graph = async_chain(saver, "ab")
    runs = [graph.ainvoke({"log": [str(n)]}, thread(f"t{n}")) for n in range(20)]
    results = await asyncio.gather(*runs)
    assert [result["log"] for result in results] == [[str(n), "a", "b"] for n in range(20)]


async def test_a_plain_run_on_a_thread_that_a_worker_owns_is_refused(
    stage: Stage, saver: AsyncPgAgentSaver
) -> None:
    stage.client.start_run("t", "worker")
    with pytest.raises(ThreadBusy):
        await async_chain(saver, "a").ainvoke({"log": []}, thread(), durability="sync")


async def test_a_stale_token_is_refused_and_no_further_step_begins(
    stage: Stage, saver: AsyncPgAgentSaver
) -> None:
    run = stage.client.start_run("t", "worker")
    ran = []

    async def act(name: str) -> None:
        ran.append(name)
        if name == "b":
            stage.client.release_job(run.job_id, run.fencing_token)

    config = thread(**{TOKEN_KEY: run.fencing_token})
    with pytest.raises(StaleToken):
        await async_chain(saver, "abcd", act).ainvoke({"log": []}, config, durability="sync")
    assert ran == ["a", "b"]


@pytest.mark.parametrize("late", ["aput", "aput_writes"])
async def test_a_late_write_does_not_bring_a_deleted_thread_back(
    stage: Stage, saver: AsyncPgAgentSaver, late: str
) -> None:
    config = await saver.aput(
        thread(checkpoint_ns=""), empty_checkpoint(), {"source": "input", "step": -1}, {}
    )
    stage.client.delete_session("t")
    arguments: tuple[Any, ...] = {
        "aput": (config, empty_checkpoint(), {"source": "loop", "step": 0}, {}),
        "aput_writes": (config, [("log", ["late"])], "task"),
    }[late]
    with pytest.raises(ThreadGone):
        await getattr(saver, late)(*arguments)
    assert stage.count("checkpoints") == stage.count("checkpoint_writes") == 0


async def test_deleting_a_thread_that_is_not_there_is_no_error(saver: AsyncPgAgentSaver) -> None:
    await saver.adelete_thread("never")
    await saver.adelete_thread("never")
