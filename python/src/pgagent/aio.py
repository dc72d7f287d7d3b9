"""The async client: sends calls over a pool or a connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import psycopg
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from pgagent import calls, errors
from pgagent.calls import Call
from pgagent.client import CONNECTION_DEFAULTS, POOL_DEFAULTS, Sharing, is_dead, named

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

    Raises what the server raises, as one of :mod:`pgagent.errors`.
    """

    def __init__(
        self, source: str | AsyncConnectionPool[Any] | AsyncConnection[Any], **pool_options: Any
    ) -> None:
        self._owned = isinstance(source, str)
        self._closed = False
        self._turn = asyncio.Lock()
        self._sharing = Sharing()
        self.source: AsyncConnectionPool[Any] | AsyncConnection[Any]
        if isinstance(source, str):
            options = {**POOL_DEFAULTS, **pool_options}
            options["kwargs"] = {**CONNECTION_DEFAULTS, **options.get("kwargs", {})}
            self.source = AsyncConnectionPool(source, **options)
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
            await self.source.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection for one moment: hold none while a model or a tool runs."""
        if self._closed or (self._owned and self.source.closed):
            await self.open()
        if isinstance(self.source, AsyncConnectionPool):
            async with self.source.connection() as conn:
                yield conn
        else:
            if self._turn.locked():
                self._sharing.warn()
            async with self._turn:
                yield self.source

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
            await self.source.check()
            return True
        return False

    version = _method(calls.version)
    create_session = _method(calls.create_session)
    delete_session = _method(calls.delete_session)
    append_message = _method(calls.append_message)
    append_messages = _method(calls.append_messages)
    append_event = _method(calls.append_event)
    record_usage = _method(calls.record_usage)
    enqueue_job = _method(calls.enqueue_job)
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
    reap_expired = _method(calls.reap_expired)
    get_job = _method(calls.get_job)
    begin_tool_call = _method(calls.begin_tool_call)
    complete_tool_call = _method(calls.complete_tool_call)
    fail_tool_call = _method(calls.fail_tool_call)
    discard_partial_outputs = _method(calls.discard_partial_outputs)
    prune_history = _method(calls.prune_history)
    enable_metadata_index = _method(calls.enable_metadata_index)
    delete_runs = _method(calls.delete_runs)
    copy_thread = _method(calls.copy_thread)
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
