"""Jobs through the Python workers, end to end, and how soon an idle worker picks one up."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from statistics import quantiles
from typing import TYPE_CHECKING, Any, TypedDict

import psycopg
from langgraph.graph import END, START, StateGraph

from pgagent.saver import AsyncPgAgentSaver, PgAgentSaver
from pgagent.worker import AsyncWorker, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.peers import Peer, Stage

AT_ONCE = 10
"""Jobs at once, in one process on one event loop: for everybody."""


class State(TypedDict):
    """What the graph of the benchmark keeps."""

    n: int


def _graph() -> StateGraph[State]:
    builder = StateGraph(State)
    builder.add_node("noop", lambda state: {"n": state["n"]})
    builder.add_edge(START, "noop")
    builder.add_edge("noop", END)
    return builder


def end_to_end(stage: Stage, jobs: int, rounds: int) -> dict[str, Any]:
    """Jobs a second, from a full queue to an empty one, in one process."""
    runs: dict[str, Callable[[Peer, int], float]] = {
        "pgagent": _pgagent,
        "procrastinate": _procrastinate,
        "pgqueuer": _pgqueuer,
    }
    rates: dict[str, list[float]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            peer = stage.peer(key)
            rates[key].append(jobs / run(peer, jobs))
            stage.drop(peer)
    return {"jobs": jobs, "at_once": AT_ONCE, "rates": rates}


def _pgagent(peer: Peer, jobs: int) -> float:
    peer.fill(jobs)

    async def run() -> float:
        async with AsyncPgAgentSaver.from_conn_string(peer.dsn) as saver:
            worker = AsyncWorker(_graph().compile(checkpointer=saver), concurrency=AT_ONCE)
            begun = time.perf_counter()
            await worker.run(once=True)
            return time.perf_counter() - begun

    took = asyncio.run(run())
    left = peer.server.psql(
        "-c", "select count(*) from pgagent.agent_jobs where status <> 'COMPLETED'",
        dbname=peer.database,
    )  # fmt: skip
    assert int(left) == 0
    return took


def _procrastinate(peer: Peer, jobs: int) -> float:
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=peer.dsn))

    @app.task(name="noop", queue="q")
    async def noop(n: int) -> None:
        pass

    peer.fill(jobs)

    async def run() -> float:
        async with app.open_async():
            begun = time.perf_counter()
            await app.run_worker_async(
                concurrency=AT_ONCE, wait=False, install_signal_handlers=False
            )
            return time.perf_counter() - begun

    return asyncio.run(run())


def _pgqueuer(peer: Peer, jobs: int) -> float:
    from pgqueuer import PgQueuer
    from pgqueuer.db import PsycopgDriver
    from pgqueuer.models import Job
    from pgqueuer.types import QueueExecutionMode

    async def run() -> float:
        async with await psycopg.AsyncConnection.connect(peer.dsn, autocommit=True) as connection:
            queuer = PgQueuer(PsycopgDriver(connection))

            @queuer.entrypoint("noop")
            async def noop(job: Job) -> None:
                pass

            for first in range(0, jobs, 1_000):
                many = min(1_000, jobs - first)
                await queuer.qm.queries.enqueue(["noop"] * many, [b"1"] * many, [0] * many)
            begun = time.perf_counter()
            await queuer.qm.run(batch_size=AT_ONCE, mode=QueueExecutionMode.drain)
            return time.perf_counter() - begun

    return asyncio.run(run())


def latency(stage: Stage, jobs: int, poll: float) -> dict[str, Any]:
    """Seconds from an enqueue to the claim by an idle worker, with the hint off and on."""
    return {
        "poll": poll,
        "off": _pick_up(stage, jobs, poll, "off"),
        "on": _pick_up(stage, jobs, poll, "jobs"),
    }


def _pick_up(stage: Stage, jobs: int, poll: float, notify: str) -> list[float]:
    peer = stage.peer("pgagent")
    stage.server.psql(
        "-c", f"select from pgagent.set_setting('notify', '{notify}')", dbname=peer.database
    )
    choose = random.Random(1)
    with (
        PgAgentSaver.from_conn_string(peer.dsn) as saver,
        psycopg.connect(peer.dsn, autocommit=True) as connection,
    ):
        worker = Worker(_graph().compile(checkpointer=saver), poll=poll)
        thread = threading.Thread(target=worker.run)
        thread.start()
        for n in range(jobs):
            time.sleep(poll * choose.uniform(1.5, 2.5))
            connection.execute("select from pgagent.enqueue_job(%s, '{\"n\": 1}')", (f"l{n}",))
        time.sleep(3 * poll)
        worker.stop()
        thread.join()
        found = connection.execute(
            "select extract(epoch from started_at - created_at)::float8 from pgagent.agent_jobs"
        ).fetchall()
    stage.drop(peer)
    return [seconds for (seconds,) in found]


def p99(samples: Sequence[float]) -> float:
    """The time that 99 of 100 stay below."""
    return quantiles(samples, n=100)[-1]
