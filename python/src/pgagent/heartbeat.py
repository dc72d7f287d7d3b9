"""What keeps a job while its graph runs, and stops the run that has lost it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import random
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, Protocol
from uuid import UUID

import psycopg
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.runtime import RunControl

from pgagent.aio import AsyncClient
from pgagent.calls import Lease
from pgagent.client import Client
from pgagent.fence import LOST, LeaseLost

log = logging.getLogger("pgagent.worker")  # one place to listen to what becomes of a job


class Held(Protocol):
    """A job that is ours for as long as its lease is renewed."""

    @property
    def job_id(self) -> UUID:
        """The job."""

    @property
    def thread_id(self) -> str:
        """Its thread."""

    @property
    def fencing_token(self) -> int:
        """The token of its delivery."""


class Pulse(BaseCallbackHandler):
    """Knows whether a run still holds its job, and stops it when that is lost.

    The run is lost when the server says so, or when two thirds of the lease have passed without
    a word from it, by this process's monotonic clock. From then on no further step, model call or
    tool call begins.

    As a callback handler it stands before every node, model and tool of the run, subgraphs
    included. No I/O: :class:`Heartbeat` renews the lease on a thread, :class:`AsyncHeartbeat` in
    a task.

    ``granted``: how much of the lease the server has given; less than all of it where a deadline of
    the job or of its step comes before.
    """

    raise_error = True
    run_inline = True

    def __init__(
        self, job: Held, control: RunControl, lease: float, granted: float | None = None
    ) -> None:
        self.job = job
        self.control = control
        self.lease = lease
        self.overdue_since: float | None = None
        """When the run was lost to a deadline, by the monotonic clock; None: it was not."""
        self._granted = lease if granted is None else granted
        self._refusal: str | None = None
        self._heard = time.monotonic()

    @property
    def lost(self) -> str | None:
        """Why the run is lost; None while it is ours. Does not need whoever renews the lease: that
        may hang on the network, and a process that was stopped goes on with any of its threads."""
        if self._refusal is None and time.monotonic() - self._heard > self.lease * 2 / 3:
            self._refusal = "the server did not answer for two thirds of the lease"
        return self._refusal

    @property
    def deadline(self) -> float | None:
        """When a deadline takes the job away unless a step ends before, by the monotonic clock;
        None: there is none."""
        return self._heard + self._granted if self._granted < self.lease * 0.999 else None

    def _next(self) -> float:
        """Seconds until the next renewal: about a third of the lease; just after a deadline, which
        a step that ended has put off."""
        third = self.lease / 3 * random.uniform(0.8, 1.0)
        if self.deadline is None:
            return third
        return min(third, max(self.deadline - time.monotonic(), 0.0) + 0.05)

    @contextlib.contextmanager
    def _renewal(self) -> Any:
        """Within the block the server is asked; what it refuses with is noted."""
        try:
            yield
        except LOST as refusal:
            self._refusal = str(refusal.args[0])
            if self.deadline is not None and time.monotonic() >= self.deadline:
                self.overdue_since = time.monotonic()
        except psycopg.Error as error:
            log.warning("no renewal for job %s: %s", self.job.job_id, error)

    def _renewed(self, asked: float, lease: Lease) -> None:
        self._heard, self._granted = asked, lease.lease_left
        if lease.cancel_requested:
            self.control.request_drain("cancelled")

    def _end(self) -> None:
        """After the last renewal: a run that lost its job is told to stop."""
        if self.lost is not None:
            log.warning(
                "lost job %s of thread %s: %s", self.job.job_id, self.job.thread_id, self.lost
            )
            self.control.request_drain("lease lost")

    def _check(self, *args: Any, **kwargs: Any) -> None:
        lost = self.lost
        if lost is not None:
            raise LeaseLost(lost, hint="Let this error through: the job runs elsewhere.")

    on_chain_start = on_chat_model_start = on_llm_start = on_tool_start = _check


class Heartbeat(Pulse):
    """Keeps the lease of one job while its graph runs: renews it on a thread of its own."""

    def __init__(
        self,
        client: Client,
        job: Held,
        control: RunControl,
        lease: float,
        granted: float | None = None,
    ) -> None:
        super().__init__(job, control, lease, granted)
        self.client = client
        self._done = Event()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Renews the lease from now on."""
        self._thread = Thread(
            target=contextvars.copy_context().run,  # what it logs is about this job
            args=(self._beat,),
            name=f"pgagent-heartbeat-{self.job.job_id}",
            daemon=True,
        )
        self._thread.start()

    def end(self) -> None:
        """When this returns no renewal is under way any more."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def leave(self) -> None:
        """Renews no more; does not wait for a renewal that is under way."""
        self._done.set()

    def __enter__(self) -> Heartbeat:
        self.begin()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.end()

    def _beat(self) -> None:
        while self.lost is None and not self._done.wait(self._next()):
            asked = time.monotonic()
            with self._renewal():
                self._renewed(
                    asked, self.client.renew_lease(self.job.job_id, self.job.fencing_token)
                )
        self._end()


class AsyncHeartbeat(Pulse):
    """Keeps the lease of one job while its graph runs: renews it in a task of its own.

    ``on_lost`` is called when the run is lost: to end what it awaits.
    """

    def __init__(
        self,
        client: AsyncClient,
        job: Held,
        control: RunControl,
        lease: float,
        granted: float | None = None,
        *,
        on_lost: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(job, control, lease, granted)
        self.client = client
        self._on_lost = on_lost
        self._done = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Renews the lease from now on."""
        self._task = asyncio.create_task(self._beat(), name=f"pgagent-heartbeat-{self.job.job_id}")

    async def end(self) -> None:
        """When this returns no renewal is under way any more."""
        self._done.set()
        if self._task is not None:
            await self._task

    def leave(self) -> None:
        """Renews no more; does not wait for a renewal that is under way."""
        self._done.set()

    async def __aenter__(self) -> AsyncHeartbeat:
        await self.begin()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.end()

    async def _beat(self) -> None:
        while self.lost is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._done.wait(), self._next())
                break
            asked = time.monotonic()
            # A server that is silent must not hold up what ends the run that it is lost for.
            with contextlib.suppress(TimeoutError), self._renewal():
                async with asyncio.timeout(max(self._heard + self.lease * 2 / 3 - asked, 0.05)):
                    lease = await self.client.renew_lease(self.job.job_id, self.job.fencing_token)
                self._renewed(asked, lease)
        self._end()
        if self.lost is not None and self._on_lost is not None:
            self._on_lost()
