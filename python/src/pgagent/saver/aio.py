"""The async checkpoint saver."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from functools import partial
from typing import Any, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from pgagent import calls, install
from pgagent.aio import AsyncClient
from pgagent.calls import Call, Row
from pgagent.errors import BaseMissing, HistoryBroken, NotFound, ThreadGone
from pgagent.runs import OnBusy, aholding_thread, as_request
from pgagent.saver.base import SaverBase
from pgagent.saver.beside import Beside, are_heavy, is_heavy
from pgagent.saver.head import known

T = TypeVar("T")
Source = str | AsyncConnectionPool[Any] | AsyncConnection[Any]


class AsyncPgAgentSaver(SaverBase[Source]):
    """Keeps LangGraph checkpoints in pgagent, for graphs that are run with await.

    ``source`` is a connection string, an ``AsyncConnectionPool`` or an ``AsyncConnection`` in
    autocommit mode. Nothing is held between calls: each borrows a connection for one statement.

        async with AsyncPgAgentSaver.from_conn_string(dsn) as saver:
            await saver.setup()
            graph = builder.compile(checkpointer=saver)

    Options, errors and the types that are loaded are those of
    :class:`~pgagent.saver.sync.PgAgentSaver`. Heavy values are serialised in threads of its own.
    The sync methods work from other threads than the loop's; on the loop they raise.
    """

    def _connect(self, source: Source, pool_options: dict[str, Any]) -> None:
        self.client = AsyncClient(source, **pool_options)
        self._beside = Beside()
        self._home: list[asyncio.AbstractEventLoop] = []  # shared with the clones for each graph

    @classmethod
    def from_conn_string(
        cls, conn_string: str, *, min_size: int = 1, max_size: int = 10, **options: Any
    ) -> Self:
        """A saver with a pool of its own. Use it as a context manager, or close it.

        The pool keeps ``min_size`` connections and makes up to ``max_size``, each in use for one
        statement at a time; the server needs room for ``max_size`` of every process.
        """
        return cls(conn_string, min_size=min_size, max_size=max_size, **options)

    async def open(self) -> Self:
        """Opens the pool that was made here; the first call does so too."""
        await self.client.open()
        return self

    async def close(self) -> None:
        """Closes the pool that was made here."""
        await self.client.close()
        self._beside.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def setup(self) -> None:
        """Installs pgagent in the database, if it is not there: safe to call from every process."""
        async with self.client.connection() as conn:
            await install.install_async(conn)

    def run(
        self,
        thread_id: str,
        *,
        on_busy: OnBusy = "reject",
        timeout: float = 30.0,
        lease: float = 60.0,
        record_text: bool = False,
    ) -> AbstractAsyncContextManager[RunnableConfig]:
        """Owns a thread for a block, as :meth:`PgAgentSaver.run` does, with ``async with``."""
        return aholding_thread(
            self.client, as_request(thread_id, on_busy, timeout, lease, record_text)
        )

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint of a thread and namespace, or the one that the config names."""
        given = known(config)
        return await self._run(self._get_call(config)) if given is None else given[0]

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
        values: bool = True,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints, newest first by the server's order.

        ``values=False`` leaves out channel values and writes: ids, metadata and versions alone.
        Checkpoints are deserialised one by one, as they are asked for.
        """
        for found in await self._run(self._list_call(config, filter, before, limit, values)):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint and returns the config that names it."""
        with self._putting(config, checkpoint):
            values = checkpoint["channel_values"]
            heavy = is_heavy(values[name] for name in new_versions if name in values)
            encode = partial(self._put_call, config, checkpoint, metadata, new_versions)
            carry = False
            while True:
                put = await self._beside.run(partial(encode, carry=carry), heavy=heavy or carry)
                try:
                    await self._run(put.call)
                    break
                except (BaseMissing, HistoryBroken) as refusal:
                    carry = self._carry(put, refusal, carry)
        return self._note(put)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Stores what one task wrote: with this stored, the task does not run again.

        The checkpoint comes first: waits for its put, and fails with it.
        """
        encode = partial(self._put_writes_call, config, writes, task_id, task_path)
        call = await self._beside.run(encode, heavy=is_heavy(value for _, value in writes))
        for landed, seconds in self._before_writes(config):
            await asyncio.wait([asyncio.wrap_future(landed)], timeout=seconds)
        await self._run(call)

    async def adelete_thread(self, thread_id: str) -> None:
        """Deletes a thread with everything in it; nothing when there is none."""
        with suppress(NotFound):
            await self._run(calls.delete_session(str(thread_id)))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Deletes what runs stored, by the ``run_id`` of their metadata: ``delete_runs``.

        What checkpoints of other runs are rebuilt from stays.
        """
        await self._run(calls.delete_runs([str(run_id) for run_id in run_ids]))

    async def acopy_thread(
        self, source_thread_id: str, target_thread_id: str, *, latest_only: bool = False
    ) -> None:
        """Copies the checkpoints of a thread to a new one: ``copy_thread``.

        With ``latest_only`` the newest of each namespace alone; the cost then does not grow with
        the history.

        Raises:
            NotFound: there is no such source.
            IdempotencyConflict: the target exists.
        """
        await self._run(
            calls.copy_thread(str(source_thread_id), str(target_thread_id), latest_only=latest_only)
        )

    async def aprune(
        self,
        thread_ids: Sequence[str],
        *,
        strategy: str = "keep_latest",
        keep_last: int | None = None,
        older_than: timedelta | None = None,
    ) -> None:
        """Deletes old checkpoints of threads: ``prune_history``; a transaction a thread.

        ``keep_latest`` keeps the newest ``keep_last`` (1 if None) of each namespace, those that are
        not older than ``older_than``, and what any of these is rebuilt from; ``delete`` deletes the
        threads. Threads that are not there are passed over.
        """
        for call in self._prune_calls(thread_ids, strategy, keep_last, older_than):
            with suppress(NotFound, ThreadGone):
                await self._run(call)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What channels are rebuilt from: the nearest stored value among the ancestors, and writes.

        Raises:
            HistoryBroken: an ancestor that is needed is not stored.
        """
        if not channels:
            return {}
        return await self._run(self._history_call(config, channels))

    async def _run(self, call: Call[T]) -> T:
        if not self._home or self._home[0].is_closed():
            self._home[:] = [asyncio.get_running_loop()]
        rows = await self.client.run(Call(call.sql, call.params, _as_they_are, call.idempotent))
        return await self._beside.run(partial(call.read, rows), heavy=are_heavy(rows))

    # LangGraph calls the sync methods from worker threads, even in a graph that is run with await.

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As ``aget_tuple``, for callers on another thread than the loop's."""
        return self._wait(self.aget_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
        values: bool = True,
    ) -> Iterator[CheckpointTuple]:
        """As ``alist``, for callers on another thread than the loop's."""

        async def collect() -> builtins.list[CheckpointTuple]:
            return [
                found
                async for found in self.alist(
                    config, filter=filter, before=before, limit=limit, values=values
                )
            ]

        yield from self._wait(collect())

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As ``aput``, for callers on another thread than the loop's."""
        return self._wait(self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """As ``aput_writes``, for callers on another thread than the loop's."""
        self._wait(self.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """As ``adelete_thread``, for callers on another thread than the loop's."""
        self._wait(self.adelete_thread(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As ``adelete_for_runs``, for callers on another thread than the loop's."""
        self._wait(self.adelete_for_runs(run_ids))

    def copy_thread(
        self, source_thread_id: str, target_thread_id: str, *, latest_only: bool = False
    ) -> None:
        """As ``acopy_thread``, for callers on another thread than the loop's."""
        self._wait(self.acopy_thread(source_thread_id, target_thread_id, latest_only=latest_only))

    def prune(
        self,
        thread_ids: Sequence[str],
        *,
        strategy: str = "keep_latest",
        keep_last: int | None = None,
        older_than: timedelta | None = None,
    ) -> None:
        """As ``aprune``, for callers on another thread than the loop's."""
        self._wait(
            self.aprune(thread_ids, strategy=strategy, keep_last=keep_last, older_than=older_than)
        )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As ``aget_delta_channel_history``, for callers on another thread than the loop's."""
        return self._wait(self.aget_delta_channel_history(config=config, channels=channels))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the saver's loop from another thread."""
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if not self._home or running is self._home[0]:
            work.close()
            raise RuntimeError(
                "this would block the event loop: await the a... method instead, or use "
                "PgAgentSaver from sync code"
            )
        if self._home[0].is_closed():
            work.close()
            raise RuntimeError(
                "the loop of this saver is closed: await a call of it on another one"
            )
        return asyncio.run_coroutine_threadsafe(work, self._home[0]).result()


def _as_they_are(rows: builtins.list[Row]) -> builtins.list[Row]:
    return rows
