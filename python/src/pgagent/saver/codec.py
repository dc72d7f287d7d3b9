"""Checkpoints as they travel: a JSON header, and a body that holds the serialised values.

No I/O and no rules: what the parts mean is written at the head of ``put_checkpoint``,
``put_writes`` and ``get_checkpoint`` in SQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from pgagent.calls import Row
from pgagent.errors import BadArgument
from pgagent.fence import SeenThread

INLINE_BYTES = 64
"""Strings up to this size live in the checkpoint row; longer ones are stored once a version."""


class Message(NamedTuple):
    """A header and its body, ready to send."""

    header: str
    body: bytes


@dataclass(slots=True)
class _Body:
    """Collects serialised values and says where each one lies."""

    serde: SerializerProtocol
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, value: Any, name: str) -> dict[str, Any]:
        try:
            type_, blob = self.serde.dumps_typed(value)
        except Exception as error:
            raise BadArgument(
                f"the value of {name} cannot be serialised: {error}",
                detail=f"type: {type(value).__module__}.{type(value).__qualname__}",
                hint="Keep such objects out of the state, or give the saver a serializer for them.",
            ) from error
        part = {"type": type_, "offset": self.size, "length": len(blob)}
        self.chunks.append(blob)
        self.size += len(blob)
        return part

    def joined(self) -> bytes:
        return b"".join(self.chunks)


def is_inline(value: Any) -> bool:
    """Whether a value lives in the checkpoint row. Exact types: a str enum would lose its class."""
    kind = type(value)
    if kind is str:
        return len(value) <= INLINE_BYTES and len(value.encode(errors="replace")) <= INLINE_BYTES
    if kind is int:
        return bool(-(2**63) <= value < 2**64)
    return value is None or kind is bool or kind is float


def encode_checkpoint(
    serde: SerializerProtocol,
    *,
    thread_id: str,
    checkpoint_ns: str,
    parent_checkpoint_id: str | None,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    new_versions: ChannelVersions,
    seen_token: int | None,
    leftovers: bool = False,
) -> Message:
    """What ``put_checkpoint`` takes.

    Raises:
        BadArgument: a value or the metadata cannot be serialised; names the channel or key.
    """
    body = _Body(serde)
    values = checkpoint["channel_values"]
    inline = {name: value for name, value in values.items() if is_inline(value)}
    header: dict[str, Any] = {
        "thread_id": thread_id,
        "checkpoint_ns": checkpoint_ns,
        "checkpoint_id": checkpoint["id"],
        "parent_checkpoint_id": parent_checkpoint_id,
        "seen_token": seen_token,
        "leftovers": leftovers,
        "checkpoint": {k: v for k, v in checkpoint.items() if k != "channel_values"},
        "inline": _add_inline(body, inline) if inline else None,
        "channels": [
            {
                "channel": name,
                "version": str(version),
                **body.add(values[name], f"channel {name!r}"),
            }
            for name, version in new_versions.items()
            if name in values and name not in inline
        ],
    }
    return Message(
        f'{json.dumps(header)[:-1]}, "metadata": {_metadata_text(metadata)}}}', body.joined()
    )


def _add_inline(body: _Body, inline: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return body.add(inline, "the small channels")
    except BadArgument:
        for name, value in inline.items():
            body.add(value, f"channel {name!r}")
        raise


def _json_text(value: Any) -> str:
    """JSON that the server takes: no NaN, no infinity, no lone surrogate. Else ValueError."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()
    return text


def _metadata_text(metadata: CheckpointMetadata) -> str:
    try:
        return _json_text(metadata)
    except (TypeError, ValueError):
        for key, value in metadata.items():
            try:
                _json_text(value)
            except (TypeError, ValueError) as error:
                raise BadArgument(
                    f"metadata {key!r} cannot be stored as JSON: {error}",
                    hint="Keep metadata to strings, numbers, booleans, lists and objects.",
                ) from error
        raise


def encode_writes(
    serde: SerializerProtocol,
    *,
    thread_id: str,
    checkpoint_ns: str,
    checkpoint_id: str,
    task_id: str,
    task_path: str,
    writes: Sequence[tuple[str, Any]],
    seen_token: int | None,
) -> Message:
    """What ``put_writes`` takes. Errors, interrupts and the like have fixed, negative places.

    Raises:
        BadArgument: a value cannot be serialised; names the channel.
    """
    body = _Body(serde)
    header = {
        "thread_id": thread_id,
        "checkpoint_ns": checkpoint_ns,
        "checkpoint_id": checkpoint_id,
        "task_id": task_id,
        "task_path": task_path,
        "seen_token": seen_token,
        "writes": [
            {
                "idx": WRITES_IDX_MAP.get(channel, position),
                "channel": channel,
                **body.add(value, f"a write to {channel!r}"),
            }
            for position, (channel, value) in enumerate(writes)
        ],
    }
    return Message(json.dumps(header), body.joined())


class _Fields(NamedTuple):
    """A row of ``get_checkpoint`` and ``list_checkpoints``."""

    kind: str
    thread: str
    ns: str
    id: str
    parent_id: str | None
    seq: int
    created_at: Any
    checkpoint: dict[str, Any]
    metadata: dict[str, Any]
    token: int
    channel: str
    version: str
    type: str
    blob: bytes
    task_id: str
    task_path: str
    idx: int


class Decoded(NamedTuple):
    """What the rows of a read say: checkpoints, newest first, and the thread's fencing token."""

    tuples: list[CheckpointTuple]
    token: int | None


def decode(serde: SerializerProtocol, rows: Iterable[Row]) -> Decoded:
    """Checkpoint tuples from the rows of ``get_checkpoint`` or ``list_checkpoints``.

    A value that several checkpoints share is deserialised once for each of them: graphs edit what
    they are given.
    """
    token: int | None = None
    heads: list[_Fields] = []
    values: dict[tuple[str, str, str, str], tuple[str, bytes]] = {}
    writes: dict[tuple[str, str, str], list[PendingWrite]] = {}
    for row in rows:
        f = _Fields(*row)
        match f.kind:
            case "checkpoint":
                heads.append(f)
            case "value":
                values[f.thread, f.ns, f.channel, f.version] = (f.type, f.blob)
            case "write":
                writes.setdefault((f.thread, f.ns, f.id), []).append(
                    (f.task_id, f.channel, serde.loads_typed((f.type, f.blob)))
                )
            case "thread":
                token = f.token
    return Decoded([_tuple(serde, head, values, writes, token) for head in heads], token)


def _tuple(
    serde: SerializerProtocol,
    head: _Fields,
    values: Mapping[tuple[str, str, str, str], tuple[str, bytes]],
    writes: Mapping[tuple[str, str, str], list[PendingWrite]],
    token: int | None,
) -> CheckpointTuple:
    thread_id = head.thread if token is None else SeenThread(head.thread, token)
    channel_values = {} if head.blob is None else serde.loads_typed((head.type, head.blob))
    for channel, version in head.checkpoint.get("channel_versions", {}).items():
        stored = values.get((head.thread, head.ns, channel, str(version)))
        if stored is not None and channel not in channel_values:
            channel_values[channel] = serde.loads_typed(stored)
    return CheckpointTuple(
        config=config_of(thread_id, head.ns, head.id),
        checkpoint=cast(Checkpoint, {**head.checkpoint, "channel_values": channel_values}),
        metadata=cast(CheckpointMetadata, head.metadata),
        parent_config=config_of(thread_id, head.ns, head.parent_id) if head.parent_id else None,
        pending_writes=writes.get((head.thread, head.ns, head.id), []),
    )


def config_of(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    """The config that names a checkpoint."""
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": checkpoint_ns,
            "checkpoint_id": checkpoint_id,
        }
    }
