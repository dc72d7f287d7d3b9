"""Waiting: looks with growing pauses, cut short by NOTIFY where the site has turned that on.

A notification is a hint and nothing more. Each may be lost, the connection that listens may die at
any time, and behind a transaction pooler none arrives: whoever waits looks by itself anyway.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Event, Thread
from typing import Any

import psycopg
from psycopg import AsyncConnection, BaseConnection, Connection, Cursor
from psycopg.conninfo import make_conninfo
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

log = logging.getLogger("pgagent.worker")

Source = (
    ConnectionPool[Any] | AsyncConnectionPool[Any] | Connection[Any] | AsyncConnection[Any] | str
)

READY = "pgagent_ready"
"""A job of the queue in the payload became claimable. Sent when ``notify`` is jobs or all."""

ENDED = "pgagent_ended"
"""The job in the payload ended or waits for people. Sent when ``notify`` is all."""

OVER = frozenset({"COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT", "AWAITING_HUMAN"})
"""What a caller waits for: the job will not go on by itself."""

LISTENING = {"autocommit": True, "keepalives_idle": 30, "connect_timeout": 10}


class Pauses:
    """Pauses between looks: from ``first`` seconds, half as long again each time up to ``longest``,
    with jitter, until ``timeout`` seconds have passed (None: for ever)."""

    def __init__(self, timeout: float | None, first: float = 0.02, longest: float = 2.0) -> None:
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._pause = first
        self._longest = longest

    def next(self) -> float | None:
        """Seconds to the next look; None when the time is over."""
        pause = self._pause * random.uniform(0.75, 1.0)
        self._pause = min(self._pause * 1.5, self._longest)
        if self._ends is None:
            return pause
        left = self._ends - time.monotonic()
        return min(pause, left) if left > 0 else None


def must_not_be_open(source: Source) -> None:
    """Refuses to wait in a transaction, which would hold its snapshot all the while.

    Raises:
        ValueError: the source is one connection and not in autocommit mode, or in a transaction.
    """
    if isinstance(source, BaseConnection) and (
        not source.autocommit
        or source.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE
    ):
        raise ValueError(
            "waiting needs a pool, a connection string, or a connection in autocommit mode outside "
            "of a transaction: an open one would see nothing new, and hold up vacuum"
        )


def address(source: Source) -> tuple[str, dict[str, Any]] | None:
    """Where a source leads: connection string and arguments for a connection of one's own; None
    when it makes them up for each connection."""
    if isinstance(source, str):
        return source, {}
    if isinstance(source, BaseConnection):
        return make_conninfo(source.info.dsn, password=source.info.password or None), {}
    kwargs = source.kwargs or {}
    if not isinstance(source.conninfo, str) or not isinstance(kwargs, dict):
        return None
    return source.conninfo, kwargs


def is_direct(conn: BaseConnection[Any], server_pid: int) -> bool:
    """Whether a connection leads to one process of the server: poolers make up the process id that
    they tell their clients."""
    return conn.info.backend_pid == server_pid


class Listener:
    """Calls ``hint`` when a job of some queues became claimable, as far as it hears of it.

    On a thread and a connection of its own, which is made anew when it dies; none while the hint is
    off.

    Args:
        source: where to listen.
        queues: whose notifications count.
        hint: called at each, and whenever one may have been missed; on the listener's thread.
        retry: seconds between two tries to connect.
    """

    RECHECK = 60.0
    """Seconds between two looks at the setting."""

    def __init__(
        self, source: Source, queues: Collection[str], hint: Callable[[], None], retry: float
    ) -> None:
        self._address = address(source)
        self._queues = frozenset(queues)
        self._hint = hint
        self._retry = retry
        self._looked: float | None = None
        self._deaf = False
        self._done = Event()
        self._thread: Thread | None = None

    def is_due(self) -> bool:
        """Whether it is time to ask for the setting, and to :meth:`follow` it."""
        now = time.monotonic()
        if self._deaf or (self._looked is not None and now - self._looked < self.RECHECK):
            return False
        self._looked = now
        return True

    def follow(self, mode: str) -> None:
        """Listens, or does not, as the setting ``notify`` says."""
        if mode == "off":
            self.stop()
        elif self._thread is None:
            self._done.clear()
            self._thread = Thread(target=self._listen, name="pgagent-listener", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Listens no more."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _listen(self) -> None:
        if self._address is None:
            self._give_up("the pool makes up its connection strings")
            return
        conninfo, kwargs = self._address
        while not self._done.is_set() and not self._deaf:
            try:
                with Connection.connect(conninfo, **{**kwargs, **LISTENING}) as conn:
                    self._hear(conn)
            except psycopg.Error as error:
                log.warning("no notifications for now, polling: %s", str(error).strip())
                self._done.wait(self._retry * random.uniform(0.75, 1.25))

    def _hear(self, conn: Connection[Any]) -> None:
        if not _listens(conn, READY):
            self._give_up("this connection leads through a pooler")
            return
        self._hint()  # for what came before
        while not self._done.is_set():
            for notification in conn.notifies(timeout=0.25):
                if notification.payload in self._queues:
                    self._hint()

    def _give_up(self, why: str) -> None:
        self._deaf = True
        log.warning(
            "no notifications, polling: %s; give the worker listen=..., a connection string that "
            "leads straight to the server",
            why,
        )


def _listens(conn: Connection[Any], channel: str) -> bool:
    """Listens to a channel, if notifications can arrive here."""
    with Cursor(conn, row_factory=tuple_row) as cursor:
        cursor.execute("select pg_backend_pid()")
        (pid,) = cursor.fetchone() or (0,)
    if not is_direct(conn, pid):
        return False
    conn.execute(f"listen {channel}")
    return True


@contextmanager
def ear(source: Source, channel: str) -> Iterator[Connection[Any] | None]:
    """A connection that listens to a channel; None where that cannot be had."""
    conn = None
    where = address(source)
    if where is not None:
        try:
            conn = Connection.connect(where[0], **{**where[1], **LISTENING})
            if not _listens(conn, channel):
                conn.close()
                conn = None
        except psycopg.Error:
            conn = None
    try:
        yield conn
    finally:
        if conn is not None:
            conn.close()


def pause(conn: Connection[Any] | None, payload: str, seconds: float) -> None:
    """Waits so long, or until a notification with this payload comes."""
    ends = time.monotonic() + seconds
    if conn is not None and not conn.closed:
        try:
            while (left := ends - time.monotonic()) > 0:
                if any(n.payload == payload for n in conn.notifies(timeout=left, stop_after=1)):
                    return
        except psycopg.OperationalError:
            conn.close()  # it hears no more: from here on the pauses are whole
    time.sleep(max(0.0, ends - time.monotonic()))


@asynccontextmanager
async def async_ear(source: Source, channel: str) -> AsyncIterator[AsyncConnection[Any] | None]:
    """A connection that listens to a channel; None where that cannot be had."""
    conn = None
    where = address(source)
    if where is not None:
        try:
            conn = await AsyncConnection.connect(where[0], **{**where[1], **LISTENING})
            cursor = await conn.execute("select pg_backend_pid()")
            (pid,) = await cursor.fetchone() or (0,)
            if is_direct(conn, pid):
                await conn.execute(f"listen {channel}")
            else:
                await conn.close()
                conn = None
        except psycopg.Error:
            conn = None
    try:
        yield conn
    finally:
        if conn is not None:
            await conn.close()


async def async_pause(conn: AsyncConnection[Any] | None, payload: str, seconds: float) -> None:
    """Waits so long, or until a notification with this payload comes."""
    ends = time.monotonic() + seconds
    if conn is not None and not conn.closed:
        try:
            while (left := ends - time.monotonic()) > 0:
                async for notification in conn.notifies(timeout=left, stop_after=1):
                    if notification.payload == payload:
                        return
        except psycopg.OperationalError:
            await conn.close()
    await asyncio.sleep(max(0.0, ends - time.monotonic()))
