"""A checkpoint for people to look at: what cannot be loaded is said, and the rest is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from xxhash import xxh3_128_hexdigest

from pgagent import calls
from pgagent.calls import Call, Row
from pgagent.errors import UnreadableValue
from pgagent.saver.codec import Fields, numbers_of
from pgagent.saver.places import channel_name
from pgagent.saver.serde import Coder, Serialised


class Opaque(NamedTuple):
    """Stands for a value that is not loaded: why, its bytes, and a digest to tell it by."""

    said: str
    size: int
    digest: str


class Shown(NamedTuple):
    """A checkpoint's channel values, and the versions of the channels that have one."""

    values: dict[str, Any]
    versions: dict[str, str]


def show_checkpoint(
    coder: Coder, thread_id: str, checkpoint_ns: str, checkpoint_id: str
) -> Call[Shown | None]:
    """Reads the values of a checkpoint; None when it is not stored.

    A value that holds a type which the serializer does not list is opaque, and so is an item of a
    list. Nothing is imported for it.
    """

    def read(rows: list[Row]) -> Shown | None:
        fields = [Fields(*row) for row in rows]
        head = next((f for f in fields if f.kind == "checkpoint"), None)
        if head is None:
            return None
        return Shown(_values(coder, fields), head.checkpoint.get("channel_versions", {}))

    return calls.get_checkpoint(thread_id, checkpoint_ns, checkpoint_id, read)


def _values(coder: Coder, fields: Iterable[Fields]) -> dict[str, Any]:
    items = {(f.channel, f.idx): (f.type, f.blob) for f in fields if f.kind == "item"}
    values: dict[str, Any] = {}
    for f in fields:
        if f.kind == "checkpoint" and f.blob is not None:
            found = _loaded(coder, (f.type, f.blob), "a small channel")
            values |= {"(small values)": found} if isinstance(found, Opaque) else found
        elif f.kind == "value" and f.runs is None:
            values[f.channel] = _loaded(coder, (f.type, f.blob), channel_name(f.channel))
        elif f.kind == "value":
            parts = [
                _loaded(coder, items[f.channel, number], channel_name(f.channel))
                for number in numbers_of(f.runs or [])
            ]
            values[f.channel] = parts if f.type == "list" else _pairs(parts)
    return values


def _pairs(parts: Iterable[Any]) -> dict[Any, Any]:
    """A dict from its pairs; one that is not loaded has no key that is known."""
    return dict(
        (f"(pair {n})", part) if isinstance(part, Opaque) else part for n, part in enumerate(parts)
    )


def _loaded(coder: Coder, stored: Serialised, name: str) -> Any:
    try:
        return coder.loads(stored, name)
    except UnreadableValue as error:
        said = str(error.args[0]).removeprefix(f"{name} ")
        return Opaque(said, len(stored[1]), xxh3_128_hexdigest(stored[1])[:12])
