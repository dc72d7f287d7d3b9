"""What both savers share: everything but I/O."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any, Generic, NamedTuple, Self, TypeVar, get_args

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg import BaseConnection

from pgagent import calls
from pgagent.calls import Call, Row
from pgagent.errors import BadArgument, BaseMissing, HistoryBroken
from pgagent.fence import LEFTOVERS_KEY, TOKEN_KEY, RunToken, SeenThread, token_of
from pgagent.saver import codec
from pgagent.saver.codec import History, OnFork
from pgagent.saver.flights import CheckpointKey, Flights
from pgagent.saver.items import MEMORY_BYTES, Memory
from pgagent.saver.large import LARGE_VALUE, LargeValues
from pgagent.saver.seen import SeenTokens
from pgagent.saver.serde import Allowed, Coder, strict_serializer, with_types
from pgagent.saver.values import Learned

Source = TypeVar("Source")

_random = secrets.SystemRandom()


class Put(NamedTuple):
    """A checkpoint that is to be stored."""

    call: Call[int]
    stored: RunnableConfig
    learned: Learned


class SaverBase(BaseCheckpointSaver[str], Generic[Source]):
    """Turns LangGraph's calls into ours and our answers into LangGraph's.

    What the options mean is said at :class:`~pgagent.saver.sync.PgAgentSaver`.
    """

    skip_stale_subgraphs: bool = True
    """Whether ``get_tuple`` mends how stateful subgraphs resume; see :func:`_mend_resuming`."""

    def __init__(
        self,
        source: Source,
        *,
        serde: SerializerProtocol | None = None,
        allow: Allowed = (),
        plaintext: bool = False,
        lossless: bool = False,
        on_fork: OnFork = "record",
        history: History = "full",
        memory_bytes: int = MEMORY_BYTES,
        large_value: int | None = LARGE_VALUE,
        **pool_options: Any,
    ) -> None:
        _one_of("on_fork", on_fork, get_args(OnFork))
        _one_of("history", history, get_args(History))
        super().__init__(serde=serde or strict_serializer())
        if isinstance(source, BaseConnection) and not source.autocommit:
            raise ValueError(
                "a saver needs a connection in autocommit mode: what it stores would be lost with "
                "the open transaction. psycopg.connect(dsn, autocommit=True)"
            )
        self._plaintext = plaintext
        self._lossless = lossless
        self._on_fork: OnFork = on_fork
        self._history: History = history
        self._seen = SeenTokens()
        self._memory = Memory(memory_bytes)
        self._large = LargeValues(large_value)
        self._flights = Flights()
        self.serde = with_types(self.serde, _types(allow))
        self._connect(source, pool_options)

    def _connect(self, source: Source, pool_options: dict[str, Any]) -> None:
        """Makes the client, and what else belongs to its kind of I/O."""
        raise NotImplementedError

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """This saver, with further types that it may load; LangGraph calls it for each graph."""
        serde = with_types(self.serde, extra_allowlist)
        if serde is self.serde:
            return self
        clone = copy.copy(self)
        clone.serde = serde
        return clone

    def _coder(self) -> Coder:
        return Coder(self.serde, plaintext=self._plaintext, lossless=self._lossless)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next version of a channel: a count that sorts as text, and a random part.

        Two branches of a thread reach the same count; the random part keeps their values apart. It
        is the system's: nodes that seed ``random`` would make all branches alike, and of hundreds
        of branches two would draw the same 16 bits. A thread that was begun with 32 digits goes on
        with them, since LangGraph compares versions as text.
        """
        if current is None:
            return f"{1:08x}.{secrets.token_urlsafe(6)}"
        count = str(current).partition(".")[0]
        if len(count) == 32:
            return f"{int(count) + 1:032}.{_random.random():016}"
        return f"{int(count, 16) + 1:08x}.{secrets.token_urlsafe(6)}"

    # --- LangGraph's calls, as ours

    def _putting(
        self, config: RunnableConfig, checkpoint: Checkpoint
    ) -> AbstractContextManager[None]:
        """Within the block the checkpoint is on its way; its tasks' writes wait until it ends."""
        return self._flights.put(_key(config, checkpoint["id"]))

    def _before_writes(
        self, config: RunnableConfig
    ) -> Iterator[tuple[Future[Exception | None], float]]:
        """What to wait for before writes are sent, and how many seconds each."""
        return self._flights.before_writes(_key(config))

    def _put_call(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
        *,
        carry: bool = False,
    ) -> Put:
        thread_id, checkpoint_ns = _thread(config), _namespace(config)
        token = token_of(config, thread_id)
        message, learned = codec.encode_checkpoint(
            self._coder(),
            self._memory,
            self._large,
            thread_id=thread_id,
            checkpoint_ns=checkpoint_ns,
            parent_checkpoint_id=get_checkpoint_id(config),
            checkpoint=checkpoint,
            metadata=get_serializable_checkpoint_metadata(config, metadata),
            new_versions=new_versions,
            seen_token=self._seen_token(config) if token is None else None,
            leftovers=bool(config["configurable"].get(LEFTOVERS_KEY)),
            on_fork=self._on_fork,
            history=self._history,
            carry=carry,
        )
        stored = codec.config_of(
            config["configurable"]["thread_id"], checkpoint_ns, checkpoint["id"]
        )
        if token is not None:
            stored["configurable"][TOKEN_KEY] = RunToken(token, thread_id)
        return Put(calls.put_checkpoint(message.header, message.body, token), stored, learned)

    def _carry(self, put: Put, refusal: BaseMissing | HistoryBroken, carry: bool) -> bool:
        """How to send a refused checkpoint again: whether with all that its parent had, too.

        What builds on another version is sent whole either way.

        Raises:
            HistoryBroken: that was sent, and there is more that only the parent had.
        """
        self._memory.forget(put.learned)
        if isinstance(refusal, HistoryBroken) and carry:
            raise refusal
        return carry or isinstance(refusal, HistoryBroken)

    def _note(self, put: Put) -> RunnableConfig:
        """What to do once a checkpoint is stored."""
        for key, known in put.learned.items():
            self._memory.note(key, known)
        return put.stored

    def _put_writes_call(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> Call[int]:
        thread_id = _thread(config)
        checkpoint_id = get_checkpoint_id(config)
        if checkpoint_id is None:
            raise BadArgument("put_writes needs a checkpoint_id in configurable")
        token = token_of(config, thread_id)
        message = codec.encode_writes(
            self._coder(),
            thread_id=thread_id,
            checkpoint_ns=_namespace(config),
            checkpoint_id=checkpoint_id,
            task_id=task_id,
            task_path=task_path,
            writes=writes,
            seen_token=self._seen_token(config) if token is None else None,
        )
        return calls.put_writes(message.header, message.body, token)

    def _seen_token(self, config: RunnableConfig) -> int | None:
        """The token that the thread had when a plain run read it; None when it never did."""
        thread_id = config["configurable"]["thread_id"]
        if isinstance(thread_id, SeenThread):
            return thread_id.token
        return self._seen.get(str(thread_id))

    def _get_call(self, config: RunnableConfig) -> Call[CheckpointTuple | None]:
        thread_id, wanted = _thread(config), get_checkpoint_id(config)

        def read(rows: list[Row]) -> CheckpointTuple | None:
            found = codec.decode(self._coder(), rows, None if wanted else self._memory)
            # A thread that nobody has made yet will begin with token 0.
            self._seen.note(thread_id, found.token or 0)
            head = next(found.tuples, None)
            if head is None:
                return None
            self._flights.note(_key(head.config))
            if self.skip_stale_subgraphs:
                _mend_resuming(config, head)
            return head

        return calls.get_checkpoint(thread_id, _namespace(config), wanted, read)

    def _list_call(
        self,
        config: RunnableConfig | None,
        filter: Mapping[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
        values: bool,
    ) -> Call[Iterator[CheckpointTuple]]:
        configurable = (config or {}).get("configurable", {})
        thread_id = configurable.get("thread_id")

        def note(found: CheckpointTuple) -> CheckpointTuple:
            self._flights.note(_key(found.config))
            return found

        def read(rows: list[Row]) -> Iterator[CheckpointTuple]:
            return map(note, codec.decode(self._coder(), rows).tuples)

        return calls.list_checkpoints(
            None if thread_id is None else str(thread_id),
            configurable.get("checkpoint_ns"),
            read,
            before=None if before is None else get_checkpoint_id(before),
            filter=filter or None,
            max_rows=limit,
            checkpoint_id=configurable.get("checkpoint_id"),
            with_values=values,
        )

    def _history_call(
        self, config: RunnableConfig, channels: Sequence[str]
    ) -> Call[dict[str, DeltaChannelHistory]]:
        def read(rows: list[Row]) -> dict[str, DeltaChannelHistory]:
            return codec.decode_history(self._coder(), rows, channels)

        return calls.delta_channel_history(
            _thread(config), _namespace(config), get_checkpoint_id(config), channels, read
        )

    def _prune_calls(
        self,
        thread_ids: Sequence[str],
        strategy: str,
        keep_last: int | None,
        older_than: timedelta | None,
    ) -> list[Call[Any]]:
        if isinstance(thread_ids, str):
            raise BadArgument(
                "prune takes a list of thread ids", hint=f"Like prune([{thread_ids!r}])."
            )
        match strategy:
            case "keep_latest":
                return [
                    calls.prune_history(
                        str(thread_id),
                        keep_last=1 if keep_last is None else keep_last,
                        older_than=older_than,
                    )
                    for thread_id in thread_ids
                ]
            case "delete" if keep_last is None and older_than is None:
                return [calls.delete_session(str(thread_id)) for thread_id in thread_ids]
            case "delete":
                raise BadArgument(
                    "strategy 'delete' keeps nothing",
                    hint="Use 'keep_latest' with keep_last and older_than.",
                )
        raise BadArgument(
            f"there is no strategy {strategy!r}", hint="Use 'keep_latest' or 'delete'."
        )


def _one_of(option: str, given: str, possible: Sequence[str]) -> None:
    if given not in possible:
        raise BadArgument(f"{option} is {given!r}", hint=f"Possible: {', '.join(possible)}.")


def _types(allow: Allowed) -> Allowed:
    """What ``allow`` lists, once it is seen to be a list of types."""
    listed = None if isinstance(allow, (str, type)) else tuple(allow)
    if listed is None or not all(isinstance(one, (type, tuple)) for one in listed):
        raise BadArgument(
            f"allow is no list of types: {allow!r}",
            hint='Like allow=[MyType, ("my.module", "Other")].',
        )
    return listed


def _thread(config: RunnableConfig) -> str:
    try:
        return str(config["configurable"]["thread_id"])
    except KeyError:
        raise BadArgument(
            "the config has no thread_id", hint='Pass {"configurable": {"thread_id": ...}}.'
        ) from None


def _namespace(config: RunnableConfig) -> str:
    return config["configurable"].get("checkpoint_ns") or ""


def _key(config: RunnableConfig, checkpoint_id: str | None = None) -> CheckpointKey:
    """The checkpoint that a config names, or another one of its namespace."""
    found = checkpoint_id or get_checkpoint_id(config) or ""
    return CheckpointKey(_thread(config), _namespace(config), found)


def _mend_resuming(config: RunnableConfig, head: CheckpointTuple) -> None:
    """Tells a stateful subgraph that it has not begun: its newest checkpoint is an older step's.

    LangGraph hands ``resuming`` to every subgraph of a resumed run. One with ``checkpointer=True``
    whose newest checkpoint was stored under an earlier step of its parent would take that for its
    own, skip its nodes and return its old output: it died (or was drained, or stopped at a
    breakpoint) before it began. Clearing the flag in the loop's own config, as LangGraph does on
    replay, lets it begin. Leans on LangGraph's internals, in this one place.
    """
    configurable = config["configurable"]
    namespace = _namespace(config)
    if not (
        namespace
        and configurable.get("__pregel_resuming")
        and not configurable.get("checkpoint_id")
    ):
        return
    parent = "|".join(namespace.split("|")[:-1])
    runs_under = (configurable.get("checkpoint_map") or {}).get(parent)
    stored_under = (head.metadata.get("parents") or {}).get(parent)
    if runs_under and stored_under and runs_under != stored_under:
        configurable.pop("__pregel_resuming")
