"""A saver that keeps count, tells what was acknowledged, and dies where it is told to."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Literal, NamedTuple

from langchain_core.runnables import RunnableConfig

from pgagent import AsyncPgAgentSaver, PgAgentSaver
from support.journal import Journal
from support.processes import die

Method = Literal["put", "put_writes"]
Moment = Literal["before", "after"]

NO_OUTPUT = {"__error__", "__error_source_node__", "__interrupt__", "__resume__"}


class Point(NamedTuple):
    """A place to die: before or after the n-th call of a method."""

    method: Method
    n: int
    moment: Moment


class _Crashing:
    """Counts, and knows where to die."""

    journal: Journal

    def _prepare(self, journal: Journal, point: Point | None) -> None:
        self.journal = journal
        self.point = point
        self.calls: dict[Method, int] = {"put": 0, "put_writes": 0}
        self._counting = Lock()

    def _count(self, method: Method) -> int:
        with self._counting:
            self.calls[method] += 1
            return self.calls[method]

    def _pass(self, method: Method, n: int, moment: Moment) -> None:
        if self.point == (method, n, moment):
            die()

    def _acknowledged(self, writes: Sequence[tuple[str, Any]], task_id: str) -> None:
        channels = {channel for channel, _ in writes}
        if channels - NO_OUTPUT and "__error__" not in channels:
            self.journal.note("acknowledged", task=task_id)


class CrashingSaver(_Crashing, PgAgentSaver):
    """Ends its process at ``point``."""

    def __init__(self, dsn: str, journal: Journal, point: Point | None = None) -> None:
        super().__init__(dsn, max_size=4)
        self._prepare(journal, point)

    def put(self, *args: Any) -> RunnableConfig:
        n = self._count("put")
        self._pass("put", n, "before")
        config = super().put(*args)
        self._pass("put", n, "after")
        return config

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        n = self._count("put_writes")
        self._pass("put_writes", n, "before")
        super().put_writes(config, writes, task_id, task_path)
        self._acknowledged(writes, task_id)
        self._pass("put_writes", n, "after")


class AsyncCrashingSaver(_Crashing, AsyncPgAgentSaver):
    """Ends its process at ``point``, in a run with await."""

    def __init__(self, dsn: str, journal: Journal, point: Point | None = None) -> None:
        super().__init__(dsn, max_size=4)
        self._prepare(journal, point)

    async def aput(self, *args: Any) -> RunnableConfig:
        n = self._count("put")
        self._pass("put", n, "before")
        config = await super().aput(*args)
        self._pass("put", n, "after")
        return config

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        n = self._count("put_writes")
        self._pass("put_writes", n, "before")
        await super().aput_writes(config, writes, task_id, task_path)
        self._acknowledged(writes, task_id)
        self._pass("put_writes", n, "after")
