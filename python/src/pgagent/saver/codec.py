"""Checkpoints as they travel: a JSON header, and a body that holds the serialised values.

No I/O and no rules: what the parts mean is written at the head of ``put_checkpoint``,
``put_writes`` and ``get_checkpoint`` in SQL.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    PendingWrite,
)
from langgraph.checkpoint.serde.types import TASKS
from psycopg.types.range import Range

from pgagent.calls import Row
from pgagent.errors import BadArgument
from pgagent.fence import SeenThread
from pgagent.saver.body import Body
from pgagent.saver.items import ChannelKey, Fingerprints, Known, Memory, copy_of, itemised
from pgagent.saver.large import LargeValues
from pgagent.saver.places import at, channel_name, culprit
from pgagent.saver.serde import Coder, Serialised, is_unicode
from pgagent.saver.values import Learned, Values

OnFork = Literal["record", "reject"]
History = Literal["full", "latest"]

FIRST_VERSION = f"{1:08x}.0000"

INLINE_BYTES = 64
"""Strings up to this size live in the checkpoint row; longer ones are stored once a version."""


class Message(NamedTuple):
    """A header and its body, ready to send."""

    header: str
    body: bytes


def is_inline(value: Any) -> bool:
    """Whether a value lives in the checkpoint row. Exact types: a str enum would lose its class."""
    kind = type(value)
    if kind is str:
        return (
            len(value) <= INLINE_BYTES and is_unicode(value) and len(value.encode()) <= INLINE_BYTES
        )
    if kind is int:
        return bool(-(2**63) <= value < 2**64)
    return value is None or kind is bool or kind is float


class Encoded(NamedTuple):
    """A checkpoint that is ready to send, and what may be noted once it is stored."""

    message: Message
    learned: Learned


def encode_checkpoint(
    coder: Coder,
    memory: Memory,
    large: LargeValues,
    *,
    thread_id: str,
    checkpoint_ns: str,
    parent_checkpoint_id: str | None,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    new_versions: ChannelVersions,
    seen_token: int | None,
    leftovers: bool,
    on_fork: OnFork,
    history: History,
    carry: bool,
) -> Encoded:
    """What ``put_checkpoint`` takes.

    ``carry``: also the values that the parent had, which may not be stored any more.

    Raises:
        BadArgument: a value or the metadata cannot be stored; names the channel or key, and where.
    """
    body = Body()
    new = Values(coder, memory, body, large)
    values = checkpoint["channel_values"]
    inline = {name: value for name, value in values.items() if is_inline(value)}
    versions = checkpoint["channel_versions"]
    carried = [
        name
        for name in values
        if name not in inline and name not in new_versions and name in versions
    ]
    header: dict[str, Any] = {
        "thread_id": thread_id,
        "checkpoint_ns": checkpoint_ns,
        "checkpoint_id": checkpoint["id"],
        "parent_checkpoint_id": parent_checkpoint_id,
        "seen_token": seen_token,
        "leftovers": leftovers,
        "on_fork": on_fork,
        "history": history,
        "checkpoint": {k: v for k, v in checkpoint.items() if k != "channel_values"},
        "inline": _add_inline(coder, body, inline) if inline else None,
        "channels": [
            new.add(ChannelKey(thread_id, checkpoint_ns, name), str(version), values[name])
            for name, version in new_versions.items()
            if name in values and name not in inline
        ],
        "carried": carried,
    }
    if carry:
        header["carried"] = []
        header["channels"] += [
            new.carried(name, str(versions[name]), values[name]) for name in carried
        ]
    text = f'{_header_text(header)[:-1]}, "metadata": {_metadata_text(metadata)}}}'
    return Encoded(Message(text, body.joined()), new.learned)


def _add_inline(coder: Coder, body: Body, inline: Mapping[str, Any]) -> dict[str, Any]:
    try:
        packed = coder.dumps(inline, "the small channels")
    except BadArgument:
        for name, value in inline.items():
            coder.dumps(value, channel_name(name))
        raise
    return body.add(packed) | {"channels": list(inline)}


_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def _json_text(value: Any) -> str:
    """JSON that the server takes: no NaN, infinity, NUL or lone surrogate. Else ValueError."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    if "\\u0000" in text and _NUL.search(text):
        raise ValueError("a NUL character")
    text.encode()
    return text


def _header_text(header: Mapping[str, Any]) -> str:
    try:
        return _json_text(header)
    except (TypeError, ValueError) as error:
        path, _, cause = culprit(header, _json_text, error)
        raise BadArgument(
            f"the checkpoint cannot be stored: {at(path)}{cause}",
            hint="Ids and names of channels are text without NUL characters.",
        ) from error


def _metadata_text(metadata: CheckpointMetadata) -> str:
    try:
        return _json_text(metadata)
    except (TypeError, ValueError, RecursionError) as error:
        path, _, cause = culprit(metadata, _json_text, error)
        raise BadArgument(
            f"metadata cannot be stored as JSON: {at(path)}{cause}",
            hint="Keep metadata to strings, numbers, booleans, lists and objects.",
        ) from error


def encode_writes(
    coder: Coder,
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
        BadArgument: a value cannot be stored; names the channel, and where in the value.
    """
    body = Body()
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
                **body.add(coder.dumps_whole(value, _written(channel))),
            }
            for position, (channel, value) in enumerate(writes)
        ],
    }
    return Message(_header_text(header), body.joined())


class Fields(NamedTuple):
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
    runs: list[Range[int]] | None
    saved: int
    task_id: str
    task_path: str
    idx: int


def _written(channel: str) -> str:
    return f"a write to {channel_name(channel)}"


Version = tuple[str, str, str, str]
"""Thread, namespace, channel and version of a value."""

Log = tuple[str, str, str]
"""Thread, namespace and channel of items."""

_NS, _CHANNEL, _TYPE, _BLOB, _IDX = map(
    Fields._fields.index, ("ns", "channel", "type", "blob", "idx")
)


class Decoded(NamedTuple):
    """What the rows of a read say: checkpoints, newest first, and the thread's fencing token."""

    tuples: Iterator[CheckpointTuple]
    token: int | None


def decode(coder: Coder, rows: Iterable[Row], memory: Memory | None = None) -> Decoded:
    """Checkpoint tuples from the rows of ``get_checkpoint`` or ``list_checkpoints``.

    They are made one by one, as they are asked for. In a list an item is deserialised once, however
    many checkpoints share it; each gets a shallow copy of its own, or of a dict's value. What is
    stored whole is deserialised for each. ``memory``, when given, notes the values of the one
    checkpoint that was read.
    """
    token: int | None = None
    heads: list[Fields] = []
    stored = _Stored(coder)
    writes: dict[tuple[str, str, str], list[PendingWrite]] = {}
    sent: dict[tuple[str, str, str], list[Any]] = {}
    for row in rows:
        if row[0] == "item":  # most rows are
            log = stored.items[row[1], row[_NS], row[_CHANNEL]]
            log[row[_IDX]] = (row[_TYPE], row[_BLOB])
            continue
        f = Fields(*row)
        match f.kind:
            case "checkpoint":
                heads.append(f)
            case "value":
                stored.values[f.thread, f.ns, f.channel, f.version] = f
            case "write":
                writes.setdefault((f.thread, f.ns, f.id), []).append(
                    (f.task_id, f.channel, coder.loads((f.type, f.blob), _written(f.channel)))
                )
            case "sent":
                task = coder.loads((f.type, f.blob), _written(f.channel))
                sent.setdefault((f.thread, f.ns, f.id), []).append(task)
            case "thread":
                token = f.token
    stored.share_items = len(heads) > 1

    def tuples() -> Iterator[CheckpointTuple]:
        for head in heads:
            found = _tuple(coder, head, stored, writes, token)
            if memory is not None:
                for key, known in stored.known(found):
                    memory.note(key, known)
            if tasks := sent.get((head.thread, head.ns, head.id)):
                _add_tasks(found.checkpoint, tasks)
            yield found

    return Decoded(tuples(), token)


class _Stored:
    """The values and items of a read, and their deserialised items."""

    def __init__(self, coder: Coder) -> None:
        self.values: dict[Version, Fields] = {}
        self.items: defaultdict[Log, dict[int, Serialised]] = defaultdict(dict)
        self.share_items = False
        self._coder = coder
        self._loaded: defaultdict[Log, dict[int, Any]] = defaultdict(dict)

    def load(self, version: Version) -> Any:
        """A value of its own."""
        f = self.values[version]
        log = version[:3]
        if f.runs is None or not self.share_items:
            return _whole(self._coder, f, self.items[log])
        numbers = numbers_of(f.runs)
        loaded = self._loaded[log]
        missing = [number for number in numbers if number not in loaded]
        items = _items(self._coder, f.channel, self.items[log], missing)
        loaded.update(zip(missing, items, strict=True))
        if f.type == "dict":
            return {key: copy_of(value) for key, value in (loaded[number] for number in numbers)}
        return [copy_of(loaded[number]) for number in numbers]

    def known(self, found: CheckpointTuple) -> Iterable[tuple[ChannelKey, Known]]:
        """What may be noted of the values of a checkpoint, before it is handed out."""
        fingerprints = Fingerprints(self._coder)
        values = found.checkpoint["channel_values"]
        for (thread, ns, channel, version), f in self.values.items():
            split = itemised(values.get(channel))
            if split is None:
                continue
            numbers = [] if f.runs is None else numbers_of(f.runs)
            stored = self.items[thread, ns, channel]
            sizes = array("I", [len(stored[number][1]) for number in numbers])
            name = channel_name(channel)
            digests = fingerprints.of_all(split.items, name)
            yield (
                ChannelKey(thread, ns, channel),
                Known(version, split.kind, f.runs is not None, f.saved, digests, sizes),
            )


def _whole(coder: Coder, value: Fields | _HistoryFields, log: Mapping[int, Serialised]) -> Any:
    """A value, from its row and the items of its channel by number."""
    if value.runs is None:
        return coder.loads((value.type, value.blob), channel_name(value.channel))
    return _shaped(value.type, _items(coder, value.channel, log, numbers_of(value.runs)))


def _items(
    coder: Coder, channel: str, log: Mapping[int, Serialised], numbers: Sequence[int]
) -> list[Any]:
    return coder.loads_each([log[number] for number in numbers], channel_name(channel))


def _shaped(type_: str, items: list[Any]) -> Any:
    return items if type_ == "list" else dict(items)


def numbers_of(runs: Sequence[Range[Any]]) -> list[int]:
    """The numbers of the items that runs name, in order."""
    return list(chain.from_iterable(range(run.lower or 0, run.upper or 0) for run in runs))


def _tuple(
    coder: Coder,
    head: Fields,
    stored: _Stored,
    writes: Mapping[tuple[str, str, str], list[PendingWrite]],
    token: int | None,
) -> CheckpointTuple:
    thread_id = head.thread if token is None else SeenThread(head.thread, token)
    channel_values: dict[str, Any] = {}
    if head.blob is not None:
        channel_values = coder.loads((head.type, head.blob), "a small channel")
    for channel, version in head.checkpoint.get("channel_versions", {}).items():
        named = (head.thread, head.ns, channel, str(version))
        if named in stored.values and channel not in channel_values:
            channel_values[channel] = stored.load(named)
    return CheckpointTuple(
        config=config_of(thread_id, head.ns, head.id),
        checkpoint=cast(Checkpoint, {**head.checkpoint, "channel_values": channel_values}),
        metadata=cast(CheckpointMetadata, head.metadata),
        parent_config=config_of(thread_id, head.ns, head.parent_id) if head.parent_id else None,
        pending_writes=writes.get((head.thread, head.ns, head.id), []),
    )


def _add_tasks(checkpoint: Checkpoint, tasks: list[Any]) -> None:
    """Brings a checkpoint of a format before 4 to what later ones are, as other savers do."""
    versions: dict[str, Any] = checkpoint["channel_versions"]
    versions[TASKS] = max(versions.values()) if versions else FIRST_VERSION
    checkpoint["channel_values"][TASKS] = tasks


class _HistoryFields(NamedTuple):
    """A row of ``delta_channel_history``."""

    kind: str
    channel: str
    version: str
    type: str
    blob: bytes
    runs: list[Range[int]] | None
    task_id: str
    idx: int


def decode_history(
    coder: Coder, rows: Iterable[Row], channels: Sequence[str]
) -> dict[str, DeltaChannelHistory]:
    """What channels are rebuilt from: the seed if there is one, and writes, oldest first."""
    history: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
    values: dict[str, _HistoryFields] = {}
    items: defaultdict[str, dict[int, Serialised]] = defaultdict(dict)
    for row in rows:
        f = _HistoryFields(*row)
        match f.kind:
            case "value":
                values[f.channel] = f
            case "item":
                items[f.channel][f.idx] = (f.type, f.blob)
            case "inline":
                inline = coder.loads((f.type, f.blob), "a small channel")
                history[f.channel]["seed"] = inline[f.channel]
            case "write":
                history[f.channel]["writes"].append(
                    (f.task_id, f.channel, coder.loads((f.type, f.blob), _written(f.channel)))
                )
    for channel, value in values.items():
        history[channel]["seed"] = _whole(coder, value, items[channel])
    return history


def config_of(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    """The config that names a checkpoint."""
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": checkpoint_ns,
            "checkpoint_id": checkpoint_id,
        }
    }
