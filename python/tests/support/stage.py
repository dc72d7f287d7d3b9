"""A database, a clock, and workers in processes of their own."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot
from psycopg import Connection

from pgagent import AsyncPgAgentSaver, AsyncWorker, Client, PgAgentSaver, StepHung, Worker
from pgagent.calls import JobState
from pgagent.testing import Clock
from support.family import Graph, Saver
from support.journal import Journal
from support.processes import Forked, until

HUNG = 3
"""The exit code of a worker of whose steps one cannot be ended."""

Build = Callable[["Stage", Saver], Graph]


@dataclass
class Stage:
    """Where agents are run: ``dsn`` is that of a worker role, ``conn`` the owner's."""

    dsn: str
    conn: Connection[Any]
    clock: Clock
    path: Path
    journal: Journal = field(init=False)
    client: Client = field(init=False)
    is_async: bool = False
    """Whether its workers run graphs with await."""

    def __post_init__(self) -> None:
        self.journal = Journal(self.path / "journal")
        self.client = Client(self.conn)

    # Jobs

    def enqueue(self, thread_id: str = "t", payload: Any = None, **options: Any) -> UUID:
        given = {"log": ["in"]} if payload is None else payload
        return self.client.enqueue_job(thread_id, given, **options).job_id

    def job(self, job_id: UUID) -> JobState:
        job = self.client.get_job(job_id)
        assert job is not None
        return job

    def status(self, job_id: UUID) -> str:
        return self.job(job_id).status

    def deliveries(self, job_id: UUID) -> list[tuple[int, str]]:
        """Attempt number and outcome of each delivery that has ended."""
        return self.conn.execute(
            "select attempt, outcome from pgagent.job_attempts where job_id = %s order by token",
            (job_id,),
        ).fetchall()

    def let_leases_run_out(self) -> None:
        self.clock.advance(100)
        until(lambda: self.client.reap_expired() or not self.leases())

    def leases(self) -> int:
        (count,) = self.conn.execute(
            "select count(*) from pgagent.agent_jobs where status = 'IN_PROGRESS'"
        ).fetchone() or (0,)
        return int(count)

    # The database

    def count(self, table: str, thread_id: str = "t") -> int:
        """How many rows a table of pgagent has for a thread."""
        (count,) = self.conn.execute(
            f"select count(*) from pgagent.{table} where thread_id = %s", (thread_id,)
        ).fetchone() or (0,)
        return int(count)

    def cut_connections(self) -> None:
        """Ends all connections of the worker role at the server."""
        self.conn.execute(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
            " where usename = 'agent_worker' and datname = current_database()"
        )

    # Workers

    def worker(
        self, build: Build, *, once: bool = True, max_jobs: int | None = None, **options: Any
    ) -> Forked:
        """A worker in a process of its own: until nothing is due, or until it is stopped."""

        options = {"poll": 0.05, **options}

        def work() -> None:
            logging.getLogger("pgagent.worker").addHandler(Noting(self.journal))
            try:
                run()
            except StepHung:
                os._exit(HUNG)

        def run() -> None:
            if self.is_async:
                asyncio.run(awork())
                return
            with PgAgentSaver(self.dsn, max_size=4) as saver:
                Worker(build(self, saver), **options).run(once=once, max_jobs=max_jobs)

        async def awork() -> None:
            async with AsyncPgAgentSaver(self.dsn, max_size=4) as saver:
                worker = AsyncWorker(build(self, saver), **options)
                try:
                    await worker.run(once=once, max_jobs=max_jobs)
                except StepHung:
                    os._exit(HUNG)  # asyncio would wait for it

        return Forked(work)

    def deliver(self, build: Build, **options: Any) -> int:
        """Runs a worker until nothing is due; its exit code."""
        with self.worker(build, **options) as process:
            return process.wait()

    def state(self, build: Build, thread_id: str = "t") -> StateSnapshot:
        return build(self, PgAgentSaver(self.conn)).get_state(thread(thread_id))

    # Gates: a process waits at one until the test opens it.

    def at(self, gate: str) -> None:
        """Within a node: says that it is there, and waits for the gate to open."""
        self.journal.note("at", gate=gate)
        until((self.path / f"{gate}.open").exists, timeout=40)

    async def aat(self, gate: str) -> None:
        """As ``at``, for async nodes."""
        self.journal.note("at", gate=gate)
        async with asyncio.timeout(40):
            while not (self.path / f"{gate}.open").exists():  # noqa: ASYNC110 - made elsewhere
                await asyncio.sleep(0.005)

    def open(self, gate: str) -> None:
        (self.path / f"{gate}.open").touch()

    def wait_at(self, gate: str, times: int = 1) -> None:
        """Waits until some process has come to a gate, so many times."""
        until(lambda: sum(note["gate"] == gate for note in self.journal.notes("at")) >= times)


class Noting(logging.Handler):
    """Keeps what a worker logs in the journal."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(logging.WARNING)
        self.journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        self.journal.note("log", text=record.getMessage(), at=time.monotonic())


def thread(thread_id: str = "t", **more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **more}}
