"""The sync checkpoint saver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from psycopg import Connection
from psycopg_pool import ConnectionPool

from pgagent import calls, install
from pgagent.client import Client
from pgagent.errors import BaseMissing, HistoryBroken, NotFound, ThreadGone
from pgagent.runs import OnBusy, as_request, holding_thread
from pgagent.saver.base import SaverBase
from pgagent.saver.head import known

Source = str | ConnectionPool[Any] | Connection[Any]


class PgAgentSaver(SaverBase[Source]):
    """Keeps LangGraph checkpoints in pgagent.

    ``source`` is a connection string, a ``ConnectionPool`` or a ``Connection`` in autocommit mode.
    Nothing is held between calls: each borrows a connection for one statement.

    ``on_fork`` says what becomes of a plain run that another one overtook: ``record`` stores its
    branch, as other savers do, and ``reject`` raises ``HeadMoved``. ``history="latest"`` keeps no
    earlier checkpoint than what the latest needs: no time travel, and no growth. ``memory_bytes``
    bounds what is remembered of lists, so that only what is new in them is written. A value, or an
    item of a list, of more bytes than ``large_value`` is stored with a warning, once a channel.

        with PgAgentSaver.from_conn_string(dsn) as saver:
            saver.setup()
            graph = builder.compile(checkpointer=saver)

    Writes raise :mod:`pgagent.errors`: ``StaleToken`` for a run that lost its thread,
    ``ThreadBusy`` for a plain run on a thread that a worker owns, ``ThreadGone`` for a late write
    to a deleted one. ``BadArgument`` names the channel, and the place in its value, that cannot be
    stored.

    Only types that are listed are loaded, since loading an object runs its code: messages,
    documents, dates and the like, LangGraph's own types, and the dataclasses, pydantic models and
    enums that annotate the state of the graph (LangGraph lists them when it compiles it). Others
    are named here: ``allow=[MyType, ("module", "Name")]``. A value with a type that is not listed
    is refused when it is stored; one that somebody else stored raises ``UnreadableValue``. With
    ``serde=JsonPlusSerializer()`` every type is loaded, as by other savers: whoever may write
    a checkpoint may then run code here.

    With ``serde=EncryptedSerializer.from_pycryptodome_aes(strict_serializer(), key=...)`` values
    are encrypted; ``plaintext=True`` reads what was stored before. With ``lossless=True`` a value
    that would come back as something else is refused: a tuple as a list, a subclass as its base.
    """

    def _connect(self, source: Source, pool_options: dict[str, Any]) -> None:
        self.client = Client(source, **pool_options)

    @classmethod
    def from_conn_string(
        cls, conn_string: str, *, min_size: int = 1, max_size: int = 10, **options: Any
    ) -> Self:
        """A saver with a pool of its own. Use it as a context manager, or close it.

        The pool keeps ``min_size`` connections and makes up to ``max_size``, each in use for one
        statement at a time; the server needs room for ``max_size`` of every process.
        """
        return cls(conn_string, min_size=min_size, max_size=max_size, **options)

    def open(self) -> Self:
        """Opens the pool that was made here; the first call does so too."""
        self.client.open()
        return self

    def close(self) -> None:
        """Closes the pool that was made here."""
        self.client.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def setup(self) -> None:
        """Installs pgagent in the database, if it is not there: safe to call from every process."""
        with self.client.connection() as conn:
            install.install(conn)

    def run(
        self,
        thread_id: str,
        *,
        on_busy: OnBusy = "reject",
        timeout: float = 30.0,
        lease: float = 60.0,
        record_text: bool = False,
    ) -> AbstractContextManager[RunnableConfig]:
        """Owns a thread for a block, as a worker does: for request handlers.

            with saver.run("thread-1", on_busy="enqueue", timeout=10) as config:
                graph.invoke({"messages": [("user", "Hello")]}, config)

        The run has a fencing token, a lease that is renewed meanwhile, and sync durability. It is
        a job like any other: COMPLETED at the end of the block, FAILED when that raises. Merge the
        config into your own, and do not replace its callbacks.

        Args:
            thread_id: the thread; it is made when there is none.
            on_busy: with another run on the thread, ``reject`` raises at once, ``enqueue`` waits
                until it is free, ``interrupt`` and ``rollback`` end the other run.
            timeout: seconds to wait for the thread with ``enqueue``.
            lease: seconds after which the thread is free when this process dies.
            record_text: what models say is kept as events while they say it: see
                :class:`~pgagent.streaming.Transcript`.

        Raises:
            ThreadBusy: another run owns the thread, and still does after ``timeout``.
            LeaseLost: within the graph, when the run lost its thread.
        """
        return holding_thread(
            self.client, as_request(thread_id, on_busy, timeout, lease, record_text)
        )

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint of a thread and namespace, or the one that the config names."""
        given = known(config)
        return self.client.run(self._get_call(config)) if given is None else given[0]

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
        values: bool = True,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first by the server's order.

        ``values=False`` leaves out channel values and writes: ids, metadata and versions alone.
        Checkpoints are deserialised one by one, as they are asked for.
        """
        yield from self.client.run(self._list_call(config, filter, before, limit, values))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint and returns the config that names it."""
        with self._putting(config, checkpoint):
            carry = False
            while True:
                put = self._put_call(config, checkpoint, metadata, new_versions, carry=carry)
                try:
                    self.client.run(put.call)
                    break
                except (BaseMissing, HistoryBroken) as refusal:
                    carry = self._carry(put, refusal, carry)
        return self._note(put)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Stores what one task wrote: with this stored, the task does not run again.

        The checkpoint comes first: waits for its put, and fails with it.
        """
        call = self._put_writes_call(config, writes, task_id, task_path)
        for landed, seconds in self._before_writes(config):
            futures.wait([landed], seconds)
        self.client.run(call)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread with everything in it; nothing when there is none."""
        with suppress(NotFound):
            self.client.delete_session(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Deletes what runs stored, by the ``run_id`` of their metadata: ``delete_runs``.

        What checkpoints of other runs are rebuilt from stays.
        """
        self.client.run(calls.delete_runs([str(run_id) for run_id in run_ids]))

    def copy_thread(
        self, source_thread_id: str, target_thread_id: str, *, latest_only: bool = False
    ) -> None:
        """Copies the checkpoints of a thread to a new one: ``copy_thread``.

        With ``latest_only`` the newest of each namespace alone; the cost then does not grow with
        the history.

        Raises:
            NotFound: there is no such source.
            IdempotencyConflict: the target exists.
        """
        self.client.run(
            calls.copy_thread(str(source_thread_id), str(target_thread_id), latest_only=latest_only)
        )

    def prune(
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
                self.client.run(call)

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What channels are rebuilt from: the nearest stored value among the ancestors, and writes.

        Raises:
            HistoryBroken: an ancestor that is needed is not stored.
        """
        if not channels:
            return {}
        return self.client.run(self._history_call(config, channels))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
        values: bool = True,
    ) -> AsyncIterator[CheckpointTuple]:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)
        yield

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def adelete_thread(self, thread_id: str) -> None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def acopy_thread(
        self, source_thread_id: str, target_thread_id: str, *, latest_only: bool = False
    ) -> None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def aprune(
        self,
        thread_ids: Sequence[str],
        *,
        strategy: str = "keep_latest",
        keep_last: int | None = None,
        older_than: timedelta | None = None,
    ) -> None:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Refused: this saver is sync."""
        raise NotImplementedError(_USE_ASYNC)


_USE_ASYNC = "PgAgentSaver is sync: compile the graph with AsyncPgAgentSaver to run it with await"
