"""The sync client: sends calls over a pool or a connection."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from threading import Lock
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import psycopg
from psycopg import AsyncClientCursor, BaseConnection, ClientCursor, Connection, Cursor
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool

from pgagent import calls, errors
from pgagent.calls import Call

P = ParamSpec("P")
T = TypeVar("T")

POOL_DEFAULTS: dict[str, Any] = {"min_size": 1, "max_size": 10, "timeout": 30.0, "open": False}
"""A pool made from a connection string: at most ten connections, thirty seconds to get one."""

CONNECTION_DEFAULTS: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
"""Its connections. No named statements: behind a transaction pooler a name may stand for the
statement of another client, which would then run with our arguments."""


def _method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Client, P], T]:
    """A method that sends what ``build`` describes; its arguments and docstring are ``build``'s."""

    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(build(*args, **kwargs))

    update_wrapper(method, build)
    return method


def is_dead(conn: BaseConnection[Any], error: psycopg.OperationalError) -> bool:
    """Whether an error ended its connection: the server may say so before it hangs up."""
    return conn.closed or error.diag.severity_nonlocalized == "FATAL"


def named(conn: Connection[Any] | psycopg.AsyncConnection[Any]) -> bool | None:
    """Whether statements may get a name on the server: never where the client binds arguments, as
    is done behind poolers; else as ``prepare_threshold`` says."""
    binds_itself = issubclass(conn.cursor_factory, (ClientCursor, AsyncClientCursor))
    return False if binds_itself else None


class Sharing:
    """Says once that calls had to wait for each other."""

    def __init__(self) -> None:
        self._is_said = False

    def warn(self) -> None:
        """Warns whoever shares a connection between calls that could be sent at once."""
        if not self._is_said:
            self._is_said = True
            warnings.warn(
                "calls of pgagent wait for each other, because they share one connection: "
                "hand in a pool or a connection string to send them at once",
                RuntimeWarning,
                stacklevel=2,
            )


class Client:
    """Every function of pgagent as a method.

    ``source`` is a connection string, a ``ConnectionPool`` or a ``Connection``. A pool made here is
    closed here; one that is handed in stays its owner's. A pool is used as a pool. A connection is
    used in turns, with a warning when a call has to wait; calls on it join the transaction that is
    open there, if any.

    A connection that proves dead is replaced, and an idempotent call is sent once more.

    Raises what the server raises, as one of :mod:`pgagent.errors`.
    """

    def __init__(
        self, source: str | ConnectionPool[Any] | Connection[Any], **pool_options: Any
    ) -> None:
        self._owned = isinstance(source, str)
        self._closed = False
        self._turn = Lock()
        self._sharing = Sharing()
        self.source: ConnectionPool[Any] | Connection[Any]
        if isinstance(source, str):
            options = {**POOL_DEFAULTS, **pool_options}
            options["kwargs"] = {**CONNECTION_DEFAULTS, **options.get("kwargs", {})}
            self.source = ConnectionPool(source, **options)
        else:
            self.source = source

    def open(self) -> Self:
        """Opens a pool that was made here; the first call does so too."""
        if self._closed:
            raise RuntimeError("this client was closed: make a new one, or close it later")
        if self._owned and isinstance(self.source, ConnectionPool):
            self.source.open()
        return self

    def close(self) -> None:
        """Closes a pool that was made here; calls after that raise RuntimeError."""
        self._closed = True
        if self._owned:
            self.source.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @contextmanager
    def connection(self) -> Iterator[Connection[Any]]:
        """A connection for one moment: hold none while a model or a tool runs."""
        if self._closed or (self._owned and self.source.closed):
            self.open()
        if isinstance(self.source, ConnectionPool):
            with self.source.connection() as conn:
                yield conn
        else:
            if not self._turn.acquire(blocking=False):
                self._sharing.warn()
                self._turn.acquire()
            try:
                yield self.source
            finally:
                self._turn.release()

    def run(self, call: Call[T]) -> T:
        """Sends one call and reads its answer."""
        for may_retry in (call.idempotent, False):
            try:
                with self.connection() as conn:
                    try:
                        # Not the connection's own kind: that may give other rows, or no binary.
                        with Cursor(conn, row_factory=tuple_row) as cursor:
                            cursor.execute(call.sql, call.params, prepare=named(conn), binary=True)
                            rows = cursor.fetchall()
                    except psycopg.OperationalError as error:
                        if not (may_retry and is_dead(conn, error) and self._repair(conn)):
                            raise
                        continue
            except psycopg.Error as error:
                raised = errors.translate(error)
                if raised is error:
                    raise
                raise raised from None
            return call.read(rows)  # others may have the connection meanwhile
        raise AssertionError("unreachable: the last round raises or returns")

    def _repair(self, conn: Connection[Any]) -> bool:
        """Drops dead connections; whether there is a pool to take another from."""
        if isinstance(self.source, ConnectionPool):
            conn.close()
            self.source.check()
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
