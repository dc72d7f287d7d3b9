"""The sync client: sends calls over a pool or a connection."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, update_wrapper
from threading import Lock
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from uuid import UUID

import psycopg
from psycopg import AsyncClientCursor, BaseConnection, ClientCursor, Connection, Cursor
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool

from pgagent import calls, errors, wake
from pgagent.calls import Call, Event, JobState

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


PSYCOPG_DEFAULT = 5
"""``prepare_threshold`` of connections for which nobody has chosen one."""


def named(conn: Connection[Any] | psycopg.AsyncConnection[Any]) -> bool | None:
    """Whether statements may get a name on the server: as ``prepare_threshold`` says, when somebody
    has chosen one. Not with psycopg's default, which a pool that is handed in may have although it
    stands behind a transaction pooler; and not where the client binds arguments by itself."""
    binds_itself = issubclass(conn.cursor_factory, (ClientCursor, AsyncClientCursor))
    return False if binds_itself or conn.prepare_threshold == PSYCOPG_DEFAULT else None


def found(job: JobState | None, job_id: UUID) -> JobState:
    """The job, which must be there.

    Raises:
        NotFound: there is no such job.
    """
    if job is None:
        raise errors.NotFound(
            "no such job", detail=f"job_id: {job_id}", hint="Its thread may have been deleted."
        )
    return job


def forked() -> RuntimeError:
    """What is raised in a fork of the process whose connections were handed in."""
    return RuntimeError(
        "the connections of this client belong to the process that this one was forked from: hand "
        "in a pool that was made after the fork, or a connection string"
    )


_arriving = Lock()
left: list[Any] = []
"""What a fork has of the first process's: kept, since its end would end connections there."""


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

    A process that was forked has a pool of its own; connections of the first process would give it
    the answers of another one's calls, so what was handed in is refused there.

    Raises what the server raises, as one of :mod:`pgagent.errors`.
    """

    def __init__(
        self, source: str | ConnectionPool[Any] | Connection[Any], **pool_options: Any
    ) -> None:
        self._owned = isinstance(source, str)
        self._closed = False
        self._pid: int | None = None
        self._turn = Lock()
        self._sharing = Sharing()
        self.source: ConnectionPool[Any] | Connection[Any]
        if isinstance(source, str):
            options = {**POOL_DEFAULTS, **pool_options}
            options["kwargs"] = {**CONNECTION_DEFAULTS, **options.get("kwargs", {})}
            self._make = partial(ConnectionPool, source, **options)
            self.source = self._make()
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
            self._arrive()
            self.source.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @contextmanager
    def connection(self) -> Iterator[Connection[Any]]:
        """A connection for one moment: hold none while a model or a tool runs."""
        self._arrive()
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

    def _arrive(self) -> None:
        """Notes the process of the first call; in a fork of it, makes a pool of its own."""
        pid = os.getpid()
        if self._pid == pid:
            return
        with _arriving:
            if self._pid is not None and self._pid != pid:
                if not self._owned:
                    raise forked()
                left.append(self.source)
                self.source = self._make()
            self._pid = pid

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

    def wait_for_job(self, job_id: UUID, timeout: float | None = None) -> JobState:
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
        with ExitStack() as stack:
            ear, asked = None, False
            while True:
                job = found(self.get_job(job_id), job_id)
                if job.status in wake.OVER:
                    return job
                seconds = pauses.next()
                if seconds is None:
                    raise TimeoutError(f"job {job_id} is {job.status} after {timeout} seconds")
                if not asked and self.run(calls.notify_mode()) == "all":
                    ear = stack.enter_context(wake.ear(self.source, wake.ENDED))
                    seconds = 0.0  # it may have ended before anybody listened
                asked = True
                wake.pause(ear, str(job_id), seconds)

    def events_since(
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
            events = self.run(calls.events_since(thread_id, after_seq, max_events=max_events))
            seconds = pauses.next()
            if events or seconds is None:
                return events
            wake.pause(None, "", seconds)

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
