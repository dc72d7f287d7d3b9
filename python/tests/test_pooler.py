"""Through PgBouncer in transaction mode: each statement may run on another connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from harness.pooler import pooler
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from psycopg import Connection
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from pgagent import AsyncPgAgentSaver, Client, PgAgentSaver, ThreadBusy
from pgagent.testing import Clock, Databases, Server
from support import family
from support.family import Graph, Saver, State
from support.fixtures import WORKER
from support.processes import Forked
from support.stage import Stage, thread

CLIENTS = 8
CONNECTIONS = 2


@pytest.fixture(scope="session")
def through(pgagent_server: Server, worker_role: str) -> Iterator[str]:
    """Connection string of a pooler with fewer connections than there are clients."""
    with pooler(pgagent_server.dsn(), [worker_role, "postgres"], pool_size=CONNECTIONS) as dsn:
        yield dsn


@pytest.fixture
def pooled(through: str, owner: Connection[Any], pgagent_clock: Clock, tmp_path: Path) -> Stage:
    """A stage whose workers and savers come through the pooler."""
    dsn = make_conninfo(through, dbname=owner.info.dbname, user=WORKER)
    return Stage(dsn, owner, pgagent_clock, tmp_path)


def asking(saver: Saver) -> Graph:
    """Four nodes at once, one of which asks."""

    def ask(state: State) -> Any:
        return {"log": [interrupt("go on?")]}

    graph = StateGraph(State).add_node("ask", ask).add_edge(START, "ask")
    for name in "abc":
        graph.add_node(name, lambda state, name=name: {"log": [name]})
        graph.add_edge(START, name)
    return graph.compile(checkpointer=saver)


def server_connections(stage: Stage) -> int:
    (count,) = (
        stage.conn.execute(
            "select count(*) from pg_stat_activity"
            " where usename = %s and datname = current_database()",
            (WORKER,),
        ).fetchone()
        or ()
    )
    return int(count)


def test_more_clients_than_connections_run_graphs(pooled: Stage) -> None:
    def run(number: int) -> Any:
        with PgAgentSaver.from_conn_string(pooled.dsn, max_size=4) as saver:
            graph = asking(saver)
            for turn in range(3):
                config = thread(f"t{number}-{turn}")
                assert "__interrupt__" in graph.invoke({"log": []}, config)
                result = graph.invoke(Command(resume="yes"), config)
                assert graph.get_state(config).values == result
                assert len(list(saver.list(config))) == 3
            return sorted(result["log"])

    with ThreadPoolExecutor(CLIENTS) as threads:
        assert list(threads.map(run, range(CLIENTS))) == [["a", "b", "c", "yes"]] * CLIENTS
    assert 0 < server_connections(pooled) <= CONNECTIONS


async def test_more_clients_than_connections_run_graphs_with_await(pooled: Stage) -> None:
    async def run(number: int) -> Any:
        async with AsyncPgAgentSaver.from_conn_string(pooled.dsn, max_size=4) as saver:
            graph = asking(saver)
            for turn in range(3):
                config = thread(f"t{number}-{turn}")
                assert "__interrupt__" in await graph.ainvoke({"log": []}, config)
                result = await graph.ainvoke(Command(resume="yes"), config)
                assert (await graph.aget_state(config)).values == result
            return sorted(result["log"])

    results = await asyncio.gather(*(run(number) for number in range(CLIENTS)))
    assert results == [["a", "b", "c", "yes"]] * CLIENTS
    assert 0 < server_connections(pooled) <= CONNECTIONS


def test_workers_share_jobs_and_answers(pooled: Stage) -> None:
    def build(stage: Stage, saver: Saver) -> Graph:
        return family.question(stage.journal, saver)

    jobs = [pooled.enqueue(f"t{number}") for number in range(6)]
    with pooled.worker(build) as one, pooled.worker(build) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    assert [pooled.status(job) for job in jobs] == ["AWAITING_HUMAN"] * 6
    with Client(pooled.dsn) as client:
        for number, job in enumerate(jobs):
            (asked,) = pooled.state(build, f"t{number}").interrupts
            client.resume_job(job, {asked.id: "yes"})
    with pooled.worker(build) as one, pooled.worker(build) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    assert [pooled.status(job) for job in jobs] == ["COMPLETED"] * 6
    assert pooled.journal.nodes().count("fin") == 6


@pytest.mark.parametrize("on_busy", ["reject", "interrupt", "rollback"])
def test_the_database_decides_who_runs_on_a_busy_thread(pooled: Stage, on_busy: Any) -> None:
    """Eight processes at once, each with its own pool of the pooler."""

    def ask() -> None:
        with Client(pooled.dsn) as client:
            try:
                client.enqueue_job("t", 1, on_busy=on_busy)
                pooled.journal.note("enqueued")
            except ThreadBusy:
                pooled.journal.note("busy")

    processes = [Forked(ask) for _ in range(CLIENTS)]
    assert [process.wait() for process in processes] == [0] * CLIENTS
    statuses = [
        status
        for (status,) in pooled.conn.execute("select status from pgagent.agent_jobs order by seq")
    ]
    if on_busy == "reject":
        assert statuses == ["PENDING"]
        assert (pooled.journal.count("enqueued"), pooled.journal.count("busy")) == (1, CLIENTS - 1)
    else:
        assert statuses == ["CANCELLED"] * (CLIENTS - 1) + ["PENDING"]


def test_an_installation_through_a_pooler_is_made_once(
    through: str, pgagent_databases: Databases, pgagent_server: Server
) -> None:
    name = pgagent_databases.empty()
    dsn = make_conninfo(through, dbname=name, user="postgres")

    def set_up(_: int) -> Any:
        with PgAgentSaver.from_conn_string(dsn, max_size=2) as saver:
            saver.setup()
            return saver.get_tuple(thread())

    with ThreadPoolExecutor(CLIENTS) as threads:
        assert list(threads.map(set_up, range(CLIENTS))) == [None] * CLIENTS
    with psycopg.connect(pgagent_server.dsn(name)) as conn:
        assert conn.execute("select pgagent.version()").fetchone()
    pgagent_databases.drop(name)


def test_a_pool_that_is_handed_in_need_not_know_of_the_pooler(pooled: Stage) -> None:
    def read(_: int) -> Any:
        with ConnectionPool(
            pooled.dsn, min_size=1, max_size=1, kwargs={"autocommit": True}
        ) as pool:
            return [PgAgentSaver(pool).get_tuple(thread(str(number))) for number in range(20)]

    with ThreadPoolExecutor(CLIENTS) as threads:
        assert list(threads.map(read, range(CLIENTS))) == [[None] * 20] * CLIENTS


def test_the_pooler_mixes_up_statements_that_have_names(pooled: Stage) -> None:
    """That it would show here if savers used any."""
    named = {"prepare_threshold": 0}

    def read(_: int) -> Any:
        with PgAgentSaver.from_conn_string(pooled.dsn, max_size=1, kwargs=named) as saver:
            for number in range(20):
                saver.get_tuple(thread(str(number)))

    with ThreadPoolExecutor(CLIENTS) as threads:
        wrong = (psycopg.errors.DuplicatePreparedStatement, psycopg.errors.UndefinedObject)
        with pytest.raises((*wrong, psycopg.errors.InvalidSqlStatementName)):
            list(threads.map(read, range(CLIENTS)))
