"""The sync checkpoint saver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import Connection
from psycopg_pool import ConnectionPool

from pgagent import install
from pgagent.client import Client
from pgagent.errors import BaseMissing, NotFound
from pgagent.saver.base import SaverBase, SeenTokens
from pgagent.saver.items import Memory


class PgAgentSaver(SaverBase):
    """Keeps LangGraph checkpoints in pgagent.

    ``source`` is a connection string, a ``ConnectionPool`` or a ``Connection`` in autocommit mode.
    Nothing is held between calls: each borrows a connection for one statement.

        with PgAgentSaver.from_conn_string(dsn) as saver:
            saver.setup()
            graph = builder.compile(checkpointer=saver)

    Writes raise :mod:`pgagent.errors`: ``StaleToken`` for a run that lost its thread,
    ``ThreadBusy`` for a plain run on a thread that a worker owns, ``ThreadGone`` for a late write
    to a deleted one.
    """

    def __init__(
        self,
        source: str | ConnectionPool[Any] | Connection[Any],
        *,
        serde: SerializerProtocol | None = None,
        **pool_options: Any,
    ) -> None:
        super().__init__(serde=serde)
        if isinstance(source, Connection) and not source.autocommit:
            raise ValueError(
                "a saver needs a connection in autocommit mode: what it stores would be lost with "
                "the open transaction"
            )
        self.client = Client(source, **pool_options)
        self._seen = SeenTokens()
        self._memory = Memory()

    @classmethod
    def from_conn_string(
        cls, conn_string: str, *, serde: SerializerProtocol | None = None, **pool_options: Any
    ) -> Self:
        """A saver with a pool of its own. Use it as a context manager, or close it."""
        return cls(conn_string, serde=serde, **pool_options)

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

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint of a thread and namespace, or the one that the config names."""
        return self.client.run(self._get_call(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first by the server's order."""
        yield from self.client.run(self._list_call(config, filter, before, limit))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Stores a checkpoint and returns the config that names it."""
        put = self._put_call(config, checkpoint, metadata, new_versions)
        try:
            self.client.run(put.call)
        except BaseMissing:
            self._memory.forget(list(put.learned))
            put = self._put_call(config, checkpoint, metadata, new_versions)
            self.client.run(put.call)
        return self._note(put)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Stores what one task wrote: with this stored, the task does not run again."""
        self.client.run(self._put_writes_call(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread with everything in it; nothing when there is none."""
        with suppress(NotFound):
            self.client.delete_session(str(thread_id))

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


_USE_ASYNC = "PgAgentSaver is sync: compile the graph with AsyncPgAgentSaver to run it with await"
