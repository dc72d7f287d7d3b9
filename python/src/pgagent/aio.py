"""The async client: sends calls over a pool or a connection."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial, update_wrapper
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from uuid import UUID

import psycopg
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from pgagent import calls, errors, wake
from pgagent.calls import Call, Event, JobState
from pgagent.client import (
    CONNECTION_DEFAULTS,
    POOL_DEFAULTS,
    Sharing,
    forked,
    found,
    is_dead,
    left,
    named,
)

P = ParamSpec("P")
T = TypeVar("T")


def _method(build: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncClient, P], Awaitable[T]]:
    """A method that sends what ``build`` describes; its arguments and docstring are ``build``'s."""

    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(build(*args, **kwargs))

    update_wrapper(method, build)
    return method


class AsyncClient:
    """Every function of pgagent as a method.

    ``source`` is a connection string, an ``AsyncConnectionPool`` or an ``AsyncConnection``. A pool
    made here is closed here; one that is handed in stays its owner's. A pool is used as a pool. A
    connection is used in turns, with a warning when a call has to wait; calls on it join the
    transaction that is open there, if any.

    A connection that proves dead is replaced, and an idempotent call is sent once more.

    A pool lives and ends with its loop: when that is closed, the next loop gets a pool of its own.
    So does a process that was forked; what was handed in is refused there.

    Raises what the server raises, as one of :mod:`pgagent.errors`.
    """

    def __init__(
        self, source: str | AsyncConnectionPool[Any] | AsyncConnection[Any], **pool_options: Any
    ) -> None:
        self._owned = isinstance(source, str)
        self._closed = False
        self._home: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._turn = asyncio.Lock()
        self._at_work: set[asyncio.Future[None]] = set()
        self._sharing = Sharing()
        self.source: AsyncConnectionPool[Any] | AsyncConnection[Any]
        if isinstance(source, str):
            options = {**POOL_DEFAULTS, **pool_options}
            options["kwargs"] = {**CONNECTION_DEFAULTS, **options.get("kwargs", {})}
            self._make = partial(AsyncConnectionPool, source, **options)
            self.source = self._make()
        else:
            self.source = source

    async def open(self) -> Self:
        """Opens a pool that was made here; the first call does so too."""
        if self._closed:
            raise RuntimeError("this client was closed: make a new one, or close it later")
        if self._owned and isinstance(self.source, AsyncConnectionPool):
            await self.source.open()
        return self

    async def close(self) -> None:
        """Closes a pool that was made here; calls after that raise RuntimeError."""
        self._closed = True
        if self._owned:
            self._arrive()
            await self.source.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection for one moment: hold none while a model or a tool runs."""
        self._arrive()
        if self._closed or (self._owned and self.source.closed):
            await self.open()
        if isinstance(self.source, AsyncConnectionPool):
            pool = self.source
            conn = await pool.getconn()
            try:
                async with conn:
                    yield conn
            finally:
                await self._whatever_happens(pool.putconn(conn))
        else:
            if self._turn.locked():
                self._sharing.warn()
            async with self._turn:
                yield self.source

    def _arrive(self) -> None:
        """Notes process and loop of the first call; in others, makes what belongs to these."""
        pid, home = os.getpid(), self._home
        if home is not None and home[0] == pid and not home[1].is_closed():
            return
        if home is not None:
            is_forked = home[0] != pid
            if isinstance(self.source, AsyncConnectionPool) and self._owned:
                if is_forked:
                    left.append(self.source)
                for conn in () if is_forked else self.source._pool:
                    conn.pgconn.finish()  # its loop is closed: nobody can close it with await
                self.source = self._make()
            elif is_forked:
                raise forked()
            self._turn = asyncio.Lock()
        self._home = (pid, asyncio.get_running_loop())

    async def run(self, call: Call[T]) -> T:
        """Sends one call and reads its answer."""
        for may_retry in (call.idempotent, False):
            try:
                async with self.connection() as conn:
                    try:
                        # Not the connection's own kind: that may give other rows, or no binary.
                        async with AsyncCursor(conn, row_factory=tuple_row) as cursor:
                            await cursor.execute(
                                call.sql, call.params, prepare=named(conn), binary=True
                            )
                            rows = await cursor.fetchall()
                    except psycopg.OperationalError as error:
                        if not (may_retry and is_dead(conn, error) and await self._repair(conn)):
                            raise
                        continue
            except psycopg.Error as error:
                raised = errors.translate(error)
                if raised is error:
                    raise
                raise raised from None
            return call.read(rows)  # others may have the connection meanwhile
        raise AssertionError("unreachable: the last round raises or returns")

    async def _repair(self, conn: AsyncConnection[Any]) -> bool:
        """Drops dead connections; whether there is a pool to take another from."""
        if isinstance(self.source, AsyncConnectionPool):
            await conn.close()
            await self._whatever_happens(self.source.check())
            return True
        return False

    async def _whatever_happens(self, work: Coroutine[Any, Any, None]) -> None:
        """Waits for what goes on when the caller is cancelled.

        A pool whose caller is cancelled while it takes a connection back has lost it: some dozens
        of requests that their users gave up were the end of a pool of ten.
        """
        task = asyncio.ensure_future(work)
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        await asyncio.shield(task)

    async def wait_for_job(
        self,
        job_id: UUID,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> JobState:
        """Waits until a job is over or waits for people (AWAITING_HUMAN).

        Looks with growing pauses of at most two seconds; at once where NOTIFY is on (``notify`` =
        ``all``) and this client can listen. No transaction is open meanwhile.

        Args:
            job_id: the job.
            timeout: seconds; None waits for ever.

        Returns:
            The job as it stands then.

        Raises:
            TimeoutError: it was not over in that time.
            NotFound: there is no such job, or its thread was deleted.
            ValueError: this client has one connection, and that is in a transaction.
        """
        wake.must_not_be_open(self.source)
        pauses = wake.Pauses(timeout)
        async with AsyncExitStack() as stack:
            ear, asked = None, False
            while True:
                job = found(await self.get_job(job_id), job_id)
                if job.status in wake.OVER:
                    return job
                seconds = pauses.next()
                if seconds is None:
                    raise TimeoutError(f"job {job_id} is {job.status} after {timeout} seconds")
                if not asked and await self.run(calls.notify_mode()) == "all":
                    ear = await stack.enter_async_context(wake.async_ear(self.source, wake.ENDED))
                    seconds = 0.0  # it may have ended before anybody listened
                asked = True
                await wake.async_pause(ear, str(job_id), seconds)

    async def events_since(
        self, thread_id: str, after_seq: int = 0, *, max_events: int = 1000, wait: float = 0.0
    ) -> list[Event]:
        """The events of a thread after one that is known, oldest first.

        Args:
            thread_id: the thread.
            after_seq: number of the last event that is known.
            max_events: how many at most.
            wait: seconds to wait for one when there is none. No transaction is open meanwhile.

        Returns:
            The events, none when none came.

        Raises:
            ValueError: this client has one connection, and that is in a transaction (``wait``).
        """
        if wait > 0:
            wake.must_not_be_open(self.source)
        pauses = wake.Pauses(wait, longest=0.5)
        while True:
            events = await self.run(calls.events_since(thread_id, after_seq, max_events=max_events))
            seconds = pauses.next()
            if events or seconds is None:
                return events
            await wake.async_pause(None, "", seconds)

    version = _method(calls.version)
    create_session = _method(calls.create_session)
    delete_session = _method(calls.delete_session)
    append_message = _method(calls.append_message)
    append_messages = _method(calls.append_messages)
    append_event = _method(calls.append_event)
    record_usage = _method(calls.record_usage)
    enqueue_job = _method(calls.enqueue_job)
    enqueue_jobs = _method(calls.enqueue_jobs)
    start_run = _method(calls.start_run)
    claim_job = _method(calls.claim_job)
    claim_jobs = _method(calls.claim_jobs)
    renew_lease = _method(calls.renew_lease)
    complete_job = _method(calls.complete_job)
    fail_job = _method(calls.fail_job)
    release_job = _method(calls.release_job)
    pause_job = _method(calls.pause_job)
    resume_job = _method(calls.resume_job)
    cancel_job = _method(calls.cancel_job)
    requeue_job = _method(calls.requeue_job)
    reap_expired = _method(calls.reap_expired)
    pause_queue = _method(calls.pause_queue)
    resume_queue = _method(calls.resume_queue)
    limit_queue = _method(calls.limit_queue)
    delay_queue_retries = _method(calls.delay_queue_retries)
    get_job = _method(calls.get_job)
    list_jobs = _method(calls.list_jobs)
    job_history = _method(calls.job_history)
    dead_letters = _method(calls.dead_letters)
    queue_stats = _method(calls.queue_stats)
    schedule_job = _method(calls.schedule_job)
    unschedule_job = _method(calls.unschedule_job)
    run_schedules = _method(calls.run_schedules)
    list_schedules = _method(calls.list_schedules)
    begin_tool_call = _method(calls.begin_tool_call)
    complete_tool_call = _method(calls.complete_tool_call)
    fail_tool_call = _method(calls.fail_tool_call)
    request_approval = _method(calls.request_approval)
    decide_approval = _method(calls.decide_approval)
    expire_approvals = _method(calls.expire_approvals)
    get_approval = _method(calls.get_approval)
    pending_approvals = _method(calls.pending_approvals)
    discard_partial_outputs = _method(calls.discard_partial_outputs)
    prune_history = _method(calls.prune_history)
    enable_metadata_index = _method(calls.enable_metadata_index)
    delete_runs = _method(calls.delete_runs)
    sweep_orphans = _method(calls.sweep_orphans)
    copy_thread = _method(calls.copy_thread)
    context_window = _method(calls.context_window)
    messages_to_summarize = _method(calls.messages_to_summarize)
    needs_compaction = _method(calls.needs_compaction)
    record_summary = _method(calls.record_summary)
    notify_mode = _method(calls.notify_mode)
    trajectory = _method(calls.trajectory)
    compare_trajectories = _method(calls.compare_trajectories)
    checkpoint_history = _method(calls.checkpoint_history)
    checkpoint_descendants = _method(calls.checkpoint_descendants)
    checkpoint_at = _method(calls.checkpoint_at)
    checkpoints_between = _method(calls.checkpoints_between)
    checkpoint_namespaces = _method(calls.checkpoint_namespaces)
    checkpoint_sizes = _method(calls.checkpoint_sizes)
    fork_session = _method(calls.fork_session)
    session_timeline = _method(calls.session_timeline)
    tool_at_step = _method(calls.tool_at_step)
