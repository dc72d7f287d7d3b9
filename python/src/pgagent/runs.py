"""A run within a block, for whoever handles a request: the thread is owned until the block ends.

The fence of a worker without the worker: ``start_run`` when the block begins, a heartbeat in
between, ``complete_job`` or ``fail_job`` at its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import RunControl

from pgagent import calls
from pgagent.aio import AsyncClient
from pgagent.calls import Call, Run
from pgagent.client import Client
from pgagent.errors import ThreadBusy
from pgagent.fence import LOST, TOKEN_KEY, RunToken, holding
from pgagent.heartbeat import AsyncHeartbeat, Heartbeat, Pulse
from pgagent.jsonable import jsonable, text
from pgagent.streaming import AsyncChunkLog, ChunkLog, Recorder

OnBusy = Literal["enqueue", "reject", "interrupt", "rollback"]
"""What a run does whose thread is busy: wait its turn, raise at once, or end the other run."""

DURABILITY_KEY = "__pregel_durability"
"""LangGraph's name for the durability of a run and its subgraphs."""


@dataclass(frozen=True, slots=True)
class Request:
    """A run that is to begin."""

    thread_id: str
    on_busy: OnBusy
    timeout: float
    lease: float
    record_text: bool

    def start(self) -> Call[Run]:
        """The call that begins it. Nobody can go on from within a block: it fails when its process
        dies."""
        return calls.start_run(
            self.thread_id,
            f"{socket.gethostname()}:{os.getpid()}",
            lease=self.lease,
            single_delivery=True,
            on_busy="reject" if self.on_busy == "enqueue" else self.on_busy,
        )

    def waits(self) -> Iterator[float]:
        """Seconds between two looks whether the thread is free, for as long as it waits."""
        until = time.monotonic() + (self.timeout if self.on_busy == "enqueue" else 0)
        while time.monotonic() < until:
            yield min(random.uniform(0.05, 0.25), max(until - time.monotonic(), 0))


@dataclass(frozen=True, slots=True)
class Held:
    """A run that has begun."""

    job_id: UUID
    thread_id: str
    fencing_token: int

    def config(self, *callbacks: Pulse | Recorder | None) -> RunnableConfig:
        """What the graph is invoked with."""
        return {
            "configurable": {
                "thread_id": self.thread_id,
                TOKEN_KEY: RunToken(self.fencing_token, self.thread_id),
                DURABILITY_KEY: "sync",
            },
            "callbacks": [callback for callback in callbacks if callback is not None],
        }

    def failed(self, error: BaseException) -> Call[str]:
        """The call that says so."""
        described = {"type": type(error).__qualname__, "message": text(error)[:10_000]}
        return calls.fail_job(self.job_id, self.fencing_token, jsonable(described), fatal=True)

    def completed(self) -> Call[str]:
        """The call that says so."""
        return calls.complete_job(self.job_id, self.fencing_token)


@contextmanager
def holding_thread(client: Client, request: Request) -> Iterator[RunnableConfig]:
    """The body of :meth:`PgAgentSaver.run`."""
    waits = request.waits()
    while True:
        try:
            run = client.run(request.start())
            break
        except ThreadBusy:
            wait = next(waits, None)
            if wait is None:
                raise
            time.sleep(wait)
    held = Held(run.job_id, request.thread_id, run.fencing_token)
    try:
        with (
            Heartbeat(client, held, RunControl(), request.lease) as pulse,
            holding(held.thread_id, held.fencing_token),
            ChunkLog(client, held) if request.record_text else nullcontext() as recorder,
        ):
            yield held.config(pulse, recorder)
    except LOST:
        raise
    except BaseException as error:
        with contextlib.suppress(psycopg.Error, *LOST):
            client.run(held.failed(error))
        raise
    client.run(held.completed())


@asynccontextmanager
async def aholding_thread(client: AsyncClient, request: Request) -> AsyncIterator[RunnableConfig]:
    """The body of :meth:`AsyncPgAgentSaver.run`."""
    waits = request.waits()
    while True:
        starting = asyncio.ensure_future(client.run(request.start()))
        try:
            run = await asyncio.shield(starting)
            break
        except asyncio.CancelledError as cancelled:
            # It may have begun all the same, and would own the thread for its lease.
            with contextlib.suppress(Exception):
                run = await starting
                held = Held(run.job_id, request.thread_id, run.fencing_token)
                await client.run(held.failed(cancelled))
            raise
        except ThreadBusy:
            wait = next(waits, None)
            if wait is None:
                raise
            await asyncio.sleep(wait)
    held = Held(run.job_id, request.thread_id, run.fencing_token)
    try:
        async with (
            AsyncHeartbeat(client, held, RunControl(), request.lease) as pulse,
            AsyncChunkLog(client, held) if request.record_text else nullcontext() as recorder,
        ):
            with holding(held.thread_id, held.fencing_token):
                yield held.config(pulse, recorder)
    except LOST:
        raise
    except BaseException as error:
        with contextlib.suppress(psycopg.Error, *LOST):
            # Told in a task of its own: a request that was cancelled must not keep its thread.
            await asyncio.shield(client.run(held.failed(error)))
        raise
    await client.run(held.completed())


def as_request(
    thread_id: Any, on_busy: OnBusy, timeout: float, lease: float, record_text: bool
) -> Request:
    """The arguments of ``run``, checked.

    Raises:
        ValueError: there is no such ``on_busy``, or a time is not above 0.
    """
    if on_busy not in ("enqueue", "reject", "interrupt", "rollback"):
        raise ValueError("on_busy must be enqueue, reject, interrupt or rollback")
    if timeout < 0 or lease <= 0:
        raise ValueError("timeout is at least 0 and lease above 0, in seconds")
    return Request(str(thread_id), on_busy, timeout, lease, record_text)
