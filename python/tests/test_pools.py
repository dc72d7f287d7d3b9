"""How savers use connections: all of a pool, none between calls."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from langgraph.graph import START, StateGraph
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from pgagent import AsyncPgAgentSaver, PgAgentSaver
from support.family import State
from support.processes import until
from support.stage import Stage, thread

SIZE = 4


def busy(stage: Stage, what: str) -> int:
    """How many connections of workers are in some state."""
    (count,) = (
        stage.conn.execute(
            "select count(*) from pg_stat_activity where usename = 'agent_worker'"
            f" and datname = current_database() and {what}"
        ).fetchone()
        or ()
    )
    return int(count)


@contextmanager
def reads_held_up(stage: Stage) -> Iterator[None]:
    with psycopg.connect(stage.conn.info.dsn) as blocker:
        blocker.execute("lock table pgagent.checkpoints in access exclusive mode")
        yield


WAITS = "wait_event_type = 'Lock'"


def test_calls_use_the_whole_pool_at_once(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, max_size=SIZE) as saver, ThreadPoolExecutor(SIZE) as threads:
        with reads_held_up(stage):
            reads = [threads.submit(saver.get_tuple, thread(str(n))) for n in range(SIZE)]
            until(lambda: busy(stage, WAITS) == SIZE)
        assert [read.result(10) for read in reads] == [None] * SIZE


async def test_calls_with_await_use_the_whole_pool_at_once(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=SIZE) as saver:
        with reads_held_up(stage):
            reads = [asyncio.create_task(saver.aget_tuple(thread(str(n)))) for n in range(SIZE)]
            await asyncio.to_thread(until, lambda: busy(stage, WAITS) == SIZE)
        assert await asyncio.gather(*reads) == [None] * SIZE


# --- nothing is held between calls

RUNS = 20
POOL = 3


def meeting_graph(saver: Any, node: Callable[[Any], Any]) -> Any:
    """One node, as a model that thinks for long."""
    return StateGraph(State).add_node("model", node).add_edge(START, "model").compile(saver)


def test_while_models_run_no_connection_is_taken(stage: Stage) -> None:
    meeting = threading.Barrier(RUNS + 1)

    def model(state: State) -> Any:
        meeting.wait(20)  # all are here
        meeting.wait(20)  # and have been looked at
        return {"log": ["model"]}

    with ConnectionPool(
        stage.dsn, min_size=POOL, max_size=POOL, kwargs={"autocommit": True}
    ) as pool:
        graph = meeting_graph(PgAgentSaver(pool), model)
        with ThreadPoolExecutor(RUNS) as threads:
            runs = [
                threads.submit(graph.invoke, {"log": []}, thread(str(n)), durability="sync")
                for n in range(RUNS)
            ]
            meeting.wait(20)
            until(lambda: pool.get_stats()["pool_available"] == POOL)
            assert busy(stage, "state <> 'idle'") == 0
            meeting.wait(20)
            assert [run.result(20)["log"] for run in runs] == [["model"]] * RUNS


async def test_while_models_are_awaited_no_connection_is_taken(stage: Stage) -> None:
    arrived: set[str] = set()
    go_on = asyncio.Event()

    async def model(state: State) -> Any:
        arrived.add(state["log"][0])
        await go_on.wait()
        return {"log": ["model"]}

    async with AsyncConnectionPool(
        stage.dsn, min_size=POOL, max_size=POOL, kwargs={"autocommit": True}, open=False
    ) as pool:
        graph = meeting_graph(AsyncPgAgentSaver(pool), model)
        runs = [
            asyncio.create_task(graph.ainvoke({"log": [str(n)]}, thread(str(n)), durability="sync"))
            for n in range(RUNS)
        ]
        await asyncio.to_thread(
            until, lambda: len(arrived) == RUNS and pool.get_stats()["pool_available"] == POOL
        )
        assert busy(stage, "state <> 'idle'") == 0
        go_on.set()
        results = await asyncio.gather(*runs)
    assert [result["log"][1] for result in results] == ["model"] * RUNS


def test_savers_that_share_a_pool_share_its_connections(stage: Stage) -> None:
    with ConnectionPool(stage.dsn, min_size=1, max_size=2, kwargs={"autocommit": True}) as pool:
        savers = [PgAgentSaver(pool) for _ in range(20)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda saver: saver.get_tuple(thread()), savers))
        assert busy(stage, "true") <= 2


@pytest.mark.parametrize("kind", [PgAgentSaver, AsyncPgAgentSaver])
def test_a_graphs_own_saver_shares_what_the_saver_has(stage: Stage, kind: Any) -> None:
    """LangGraph makes a clone for each graph, with the types of its state."""
    saver = kind(stage.dsn)
    clone = saver.with_allowlist([("support.family", "Fault")])
    assert clone is not saver
    assert clone.serde is not saver.serde
    shared = {name for name in vars(saver) if vars(clone)[name] is vars(saver)[name]}
    assert set(vars(saver)) - shared == {"serde"}


def test_the_size_of_a_pool_is_said(stage: Stage) -> None:
    for kind in (PgAgentSaver, AsyncPgAgentSaver):
        parameters = inspect.signature(kind.from_conn_string).parameters
        assert (parameters["min_size"].default, parameters["max_size"].default) == (1, 10)
    with PgAgentSaver.from_conn_string(stage.dsn, min_size=2, max_size=3) as saver:
        pool: Any = saver.client.source
        assert (pool.min_size, pool.max_size) == (2, 3)
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        pool = saver.client.source
        assert (pool.min_size, pool.max_size) == (1, 10)


async def grown(saver: AsyncPgAgentSaver) -> None:
    """Until no connection is being made: psycopg's pool does not hear that it is cancelled then."""
    pool: Any = saver.client.source

    def is_grown() -> bool:
        stats = pool.get_stats()
        return bool(stats["pool_available"] == stats["pool_size"])

    await asyncio.to_thread(until, is_grown)


def test_a_saver_goes_on_in_the_next_loop_when_its_loop_is_closed(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn, max_size=SIZE)

    def node(state: Any) -> Any:
        saver.get_tuple(thread())  # from a thread of the loop that runs now
        return {"log": ["model"]}

    graph = meeting_graph(saver, node)

    async def run() -> Any:
        returned = await graph.ainvoke({"log": []}, thread())
        await grown(saver)
        return returned

    async def run_all_at_once() -> Any:
        with reads_held_up(stage):
            reads = [asyncio.create_task(saver.aget_tuple(thread(str(n)))) for n in range(SIZE)]
            await asyncio.to_thread(until, lambda: busy(stage, WAITS) == SIZE)
        assert await asyncio.gather(*reads) == [None] * SIZE
        await saver.close()

    assert asyncio.run(run())["log"] == ["model"]
    with pytest.raises(RuntimeError, match="loop of this saver is closed"):
        saver.get_tuple(thread())
    assert asyncio.run(run())["log"] == ["model"] * 2
    stage.conn.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'agent_worker'"
        " and datname = current_database()"
    )
    asyncio.run(run_all_at_once())


def test_the_pools_of_loops_that_are_closed_leave_no_connections(stage: Stage) -> None:
    saver = AsyncPgAgentSaver(stage.dsn)

    async def read() -> None:
        await saver.aget_tuple(thread())
        await grown(saver)

    for _ in range(6):
        asyncio.run(read())
    until(lambda: busy(stage, "true") <= 2)  # what a pool takes for its first call
    asyncio.run(saver.close())


async def test_a_call_that_is_cancelled_gives_its_connection_back(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as saver:
        pool: Any = saver.client.source
        with reads_held_up(stage):
            read = asyncio.create_task(saver.aget_tuple(thread()))
            await asyncio.to_thread(until, lambda: busy(stage, WAITS) == 1)
            await pool._lock.acquire()  # as another call does while it looks for a connection
        await asyncio.to_thread(until, lambda: busy(stage, "state = 'active'") == 0)
        await asyncio.sleep(0.2)
        read.cancel()
        with pytest.raises(asyncio.CancelledError):
            await read
        pool._lock.release()
        assert await asyncio.wait_for(saver.aget_tuple(thread()), 5) is None


# --- processes that are forked


def stored(saver: PgAgentSaver, thread_id: str) -> bool:
    """Whether the answers to many calls are those to this process's."""
    graph = StateGraph(State).add_node("a", lambda state: {"log": [thread_id]})
    built = graph.add_edge(START, "a").compile(checkpointer=saver)
    return all(
        built.invoke({"log": []}, thread(f"{thread_id} {n}"))["log"] == [thread_id]
        and built.get_state(thread(f"{thread_id} {n}")).values["log"] == [thread_id]
        for n in range(20)
    )


def in_fork(work: Callable[[], bool]) -> int:
    """Does it in a fork of this process; returns its id. It ends with 0 when ``work`` is true."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return pid


def test_a_forked_process_has_a_pool_of_its_own(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn) as saver:
        assert stored(saver, "before")
        pids = [in_fork(lambda n=n: stored(saver, f"fork {n}")) for n in range(2)]  # type: ignore[misc]
        pids.append(in_fork(lambda: saver.close() is None))
        assert stored(saver, "parent")
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0, 0, 0]
        pool: Any = saver.client.source
        assert pool.get_stats().get("returns_bad", 0) == 0
        assert stored(saver, "after")


@pytest.mark.filterwarnings("ignore:calls of pgagent wait")
def test_connections_that_were_handed_in_before_a_fork_are_refused(stage: Stage) -> None:
    def refused() -> bool:
        with pytest.raises(RuntimeError, match="the process that this one was forked from"):
            saver.get_tuple(thread())
        return True

    with psycopg.connect(stage.dsn, autocommit=True) as conn:
        saver = PgAgentSaver(conn)
        assert stored(saver, "before")
        assert os.waitstatus_to_exitcode(os.waitpid(in_fork(refused), 0)[1]) == 0
        assert stored(saver, "after")


# --- one connection for all


def test_one_connection_is_shared_in_turns_with_one_warning(stage: Stage) -> None:
    with psycopg.connect(stage.dsn, autocommit=True) as conn, ThreadPoolExecutor(SIZE) as threads:
        saver = PgAgentSaver(conn)

        def read_at_once() -> list[Any]:
            with reads_held_up(stage):
                reads = [threads.submit(saver.get_tuple, thread(str(n))) for n in range(SIZE)]
                until(lambda: saver.client._sharing._is_said)
            return [read.result(10) for read in reads]

        with pytest.warns(RuntimeWarning, match="share one connection") as said:
            assert read_at_once() == [None] * SIZE
        assert len(said) == 1


async def test_one_connection_is_shared_in_turns_by_tasks_with_one_warning(stage: Stage) -> None:
    async with await AsyncConnection.connect(stage.dsn, autocommit=True) as conn:
        saver = AsyncPgAgentSaver(conn)
        reads = [saver.aget_tuple(thread(str(n))) for n in range(SIZE)]
        with pytest.warns(RuntimeWarning, match="share one connection") as said:
            assert await asyncio.gather(*reads) == [None] * SIZE
        assert len(said) == 1


def test_a_connection_that_nobody_shares_is_used_without_a_warning(stage: Stage) -> None:
    with (
        psycopg.connect(stage.dsn, autocommit=True) as conn,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")
        saver = PgAgentSaver(conn)
        assert [saver.get_tuple(thread()) for _ in range(3)] == [None] * 3
