"""Runs within a block: what request handlers use."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from langgraph.graph import START, StateGraph

from pgagent import AsyncPgAgentSaver, LeaseLost, PgAgentSaver, StaleToken, ThreadBusy
from support.family import State
from support.processes import DIED, Forked, die
from support.stage import Stage


def graph(saver: Any, act: Any = None) -> Any:
    """One node that acts and adds to the log."""

    def node(state: State) -> Any:
        if act is not None:
            act()
        return {"log": ["ran"]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder.compile(checkpointer=saver)


def statuses(stage: Stage) -> list[str]:
    rows = stage.conn.execute(
        "select status from pgagent.agent_jobs order by created_at"
    ).fetchall()
    return [status for (status,) in rows]


def test_a_block_owns_its_thread_and_completes(stage: Stage) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        with saver.run("t") as config:
            state = graph(saver).invoke({"log": ["in"]}, config)
            assert statuses(stage) == ["IN_PROGRESS"]
            with pytest.raises(ThreadBusy):
                stage.client.append_message("t", "assistant", "from outside")
        assert state["log"] == ["in", "ran"]
        assert statuses(stage) == ["COMPLETED"]
        with saver.run("t") as config:
            assert graph(saver).invoke({"log": ["more"]}, config)["log"][-2:] == ["more", "ran"]


def test_a_block_that_raises_fails_its_run_and_frees_the_thread(stage: Stage) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        with pytest.raises(ZeroDivisionError), saver.run("t") as config:
            graph(saver, lambda: 1 // 0).invoke({"log": []}, config)
        assert statuses(stage) == ["FAILED"]
        with saver.run("t"):
            pass
    assert statuses(stage) == ["FAILED", "COMPLETED"]


def test_a_busy_thread_is_refused_or_waited_for(stage: Stage) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        with saver.run("t"):
            with pytest.raises(ThreadBusy), saver.run("t"):
                pass
            begun = time.monotonic()
            with pytest.raises(ThreadBusy), saver.run("t", on_busy="enqueue", timeout=0.5):
                pass
            assert 0.5 <= time.monotonic() - begun < 10

        inside, order = threading.Event(), list[str]()

        def first() -> None:
            with saver.run("t"):
                inside.set()
                time.sleep(0.3)
                order.append("first")

        thread = threading.Thread(target=first)
        thread.start()
        assert inside.wait(10)
        with saver.run("t", on_busy="enqueue", timeout=30):
            order.append("second")
        thread.join()
    assert order == ["first", "second"]


def test_a_run_may_end_the_one_before(stage: Stage) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn) as saver, saver.run("t") as config:
        with saver.run("t", on_busy="interrupt"):
            pass
        with pytest.raises(StaleToken):
            graph(saver).invoke({"log": []}, config)
    assert sorted(statuses(stage)) == ["CANCELLED", "COMPLETED"]


def test_a_process_that_dies_leaves_its_thread_to_the_next_after_its_lease(stage: Stage) -> None:
    def handler() -> None:
        with PgAgentSaver.from_conn_string(stage.dsn) as saver, saver.run("t") as config:
            graph(saver, die).invoke({"log": ["in"]}, config)

    with Forked(handler) as died:
        assert died.wait() == DIED
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        with pytest.raises(ThreadBusy), saver.run("t"):
            pass
        stage.clock.advance(61)
        with saver.run("t") as config:
            assert graph(saver).invoke({"log": ["again"]}, config)["log"][-1] == "ran"
    assert statuses(stage) == ["FAILED", "COMPLETED"]


def test_a_run_that_lost_its_thread_begins_no_further_node(stage: Stage) -> None:
    def lose() -> None:
        (job,) = stage.conn.execute("select job_id from pgagent.agent_jobs").fetchone() or ()
        stage.client.cancel_job(job, force=True)
        time.sleep(1.2)

    builder = StateGraph(State)
    ran: list[str] = []
    builder.add_node("a", lambda state: (ran.append("a"), lose(), {"log": ["a"]})[-1])
    builder.add_node("b", lambda state: (ran.append("b"), {"log": ["b"]})[-1])
    builder.add_edge(START, "a")
    builder.add_edge("a", "b")
    with (
        PgAgentSaver.from_conn_string(stage.dsn) as saver,
        pytest.raises((LeaseLost, StaleToken)),
        saver.run("t", lease=3) as config,
    ):
        builder.compile(checkpointer=saver).invoke({"log": []}, config)
    assert ran == ["a"]
    assert statuses(stage) == ["CANCELLED"]


def test_a_lease_is_renewed_while_the_block_lasts(stage: Stage) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn) as saver, saver.run("t", lease=1.0):
        time.sleep(2.5)
        assert stage.client.reap_expired() == 0
    assert statuses(stage) == ["COMPLETED"]


async def test_with_await(stage: Stage) -> None:
    async with AsyncPgAgentSaver.from_conn_string(stage.dsn) as saver:
        async with saver.run("t", lease=1.0) as config:
            state = await graph(saver).ainvoke({"log": ["in"]}, config)
            with pytest.raises(ThreadBusy):
                async with saver.run("t", on_busy="enqueue", timeout=0.2):
                    pass
            await asyncio.sleep(2.0)
            assert await saver.client.reap_expired() == 0
        assert state["log"] == ["in", "ran"]
        with pytest.raises(ZeroDivisionError):
            async with saver.run("t") as config:
                await graph(saver, lambda: 1 // 0).ainvoke({"log": []}, config)
    assert statuses(stage) == ["COMPLETED", "FAILED"]


async def test_a_request_that_is_cancelled_frees_its_thread(stage: Stage) -> None:
    async with AsyncPgAgentSaver.from_conn_string(stage.dsn) as saver:

        async def handler() -> None:
            async with saver.run("t"):
                await asyncio.sleep(60)

        for delay in (0, 0.002, 0.005, 0.01, 0.5):
            task = asyncio.create_task(handler())
            await asyncio.sleep(delay)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert set(statuses(stage)) <= {"FAILED"}
    assert statuses(stage)[-1:] == ["FAILED"]


@pytest.mark.parametrize("options", [{"on_busy": "wait"}, {"timeout": -1}, {"lease": 0}])
def test_what_makes_no_sense_is_refused(stage: Stage, options: dict[str, Any]) -> None:
    with (
        PgAgentSaver.from_conn_string(stage.dsn) as saver,
        pytest.raises(ValueError, match=r"must|least"),
    ):
        saver.run("t", **options)
