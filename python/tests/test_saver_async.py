"""The async saver, and the conformance of both."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator
from typing import Annotated, Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.graph import START, StateGraph
from psycopg import AsyncClientCursor, AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, PgAgentSaver, StaleToken, ThreadBusy
from pgagent.fence import TOKEN_KEY
from support.family import Graph
from support.stage import Stage, thread

CAPABILITIES = [capability.value for capability in Capability]


class State(TypedDict):
    log: Annotated[list[str], operator.add]


@pytest.fixture
async def saver(stage: Stage) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def chain(saver: AsyncPgAgentSaver, names: str, act: Any = None) -> Graph:
    graph = StateGraph(State)
    for name in names:

        async def node(state: State, name: str = name) -> Any:
            if act is not None:
                await act(name)
            return {"log": [name]}

        graph.add_node(name, node)
    for one, other in zip([START, *names], names, strict=False):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=saver)


def cut_all(stage: Stage) -> None:
    """Ends all connections of the worker role at the server."""
    stage.conn.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where usename = 'agent_worker' and datname = current_database()"
    )


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
    graph = chain(saver, "abc")
    result = await graph.ainvoke({"log": ["in"]}, thread(), durability="sync")
    assert (await graph.aget_state(thread())).values == result == {"log": ["in", "a", "b", "c"]}
    steps = [found.metadata["step"] async for found in saver.alist(thread())]
    assert steps == [3, 2, 1, 0, -1]


async def test_many_runs_share_a_pool(stage: Stage, saver: AsyncPgAgentSaver) -> None:
    graph = chain(saver, "ab")
    runs = [graph.ainvoke({"log": [str(n)]}, thread(f"t{n}")) for n in range(20)]
    results = await asyncio.gather(*runs)
    assert [result["log"] for result in results] == [[str(n), "a", "b"] for n in range(20)]


async def test_a_plain_run_on_a_thread_that_a_worker_owns_is_refused(
    stage: Stage, saver: AsyncPgAgentSaver
) -> None:
    stage.client.start_run("t", "worker")
    with pytest.raises(ThreadBusy):
        await chain(saver, "a").ainvoke({"log": []}, thread(), durability="sync")


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
        await chain(saver, "abcd", act).ainvoke({"log": []}, config, durability="sync")
    assert ran == ["a", "b"]


@pytest.mark.parametrize(
    "options",
    [{"row_factory": dict_row}, {"cursor_factory": AsyncClientCursor}],
    ids=["rows as mappings", "arguments bound by the client"],
)
async def test_a_pool_may_have_rows_and_cursors_of_its_own_kind(
    stage: Stage, options: dict[str, Any]
) -> None:
    kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, **options}
    async with AsyncConnectionPool(stage.dsn, min_size=1, kwargs=kwargs, open=False) as pool:
        graph = chain(AsyncPgAgentSaver(pool), "ab")
        assert (await graph.ainvoke({"log": []}, thread()))["log"] == ["a", "b"]


async def test_statements_have_no_names_unless_wanted(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver:
        for _ in range(10):
            await saver.aget_tuple(thread())
        async with saver.client.connection() as conn:
            named = await conn.execute("select from pg_prepared_statements")
            assert await named.fetchall() == []


async def test_a_run_goes_on_when_all_its_connections_were_cut(
    stage: Stage, saver: AsyncPgAgentSaver
) -> None:
    async def cut(name: str) -> None:
        if name == "b":
            cut_all(stage)

    graph = chain(saver, "abc", cut)
    result = await graph.ainvoke({"log": ["in"]}, thread(), durability="sync")
    assert result["log"] == ["in", "a", "b", "c"]
    assert (await graph.aget_state(thread())).values == result


async def test_a_late_write_does_not_bring_a_deleted_thread_back(
    saver: AsyncPgAgentSaver,
) -> None:
    graph = chain(saver, "a")
    await graph.ainvoke({"log": ["old"]}, thread())
    await saver.adelete_thread("t")
    assert await saver.aget_tuple(thread()) is None
    await saver.adelete_thread("t")


# --- its sync methods


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
    graph = chain(saver, "a")
    await graph.ainvoke({"log": ["in"]}, thread())
    state = await asyncio.to_thread(graph.get_state, thread())
    assert state.values["log"] == ["in", "a"]
    await asyncio.to_thread(graph.update_state, thread(), {"log": ["edit"]})
    found = await asyncio.to_thread(lambda: list(saver.list(thread(), limit=1)))
    assert found[0].metadata["source"] == "update"
    await asyncio.to_thread(saver.delete_thread, "t")
    assert await saver.aget_tuple(thread()) is None


# --- connections


async def test_a_connection_in_a_transaction_is_refused(stage: Stage) -> None:
    async with await AsyncConnection.connect(stage.dsn) as conn:
        with pytest.raises(ValueError, match="autocommit"):
            AsyncPgAgentSaver(conn)


async def test_one_connection_serves_parallel_nodes(stage: Stage) -> None:
    async with await AsyncConnection.connect(stage.dsn, autocommit=True) as conn:
        graph = StateGraph(State)
        for n in range(8):

            async def node(state: State, n: int = n) -> Any:
                return {"log": [str(n)]}

            graph.add_node(str(n), node).add_edge(START, str(n))
        built = graph.compile(checkpointer=AsyncPgAgentSaver(conn))
        result = await built.ainvoke({"log": []}, thread())
    assert sorted(result["log"]) == [str(n) for n in range(8)]


async def test_a_call_that_must_not_be_sent_twice_is_not(
    stage: Stage, saver: AsyncPgAgentSaver
) -> None:
    await saver.client.create_session("t")
    cut_all(stage)
    with pytest.raises(psycopg.OperationalError):
        await saver.client.append_event("t", "step")


async def test_a_saver_that_was_closed_says_so(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn)
    await saver.close()
    with pytest.raises(RuntimeError, match="closed"):
        await saver.aget_tuple(thread())
