"""Lists and dicts as items: which of them are new against the version that was stored last.

No I/O. A value that grows is told as parts of the version before it and the items that are new;
``_put_values`` in SQL says how it is stored.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from threading import Lock
from typing import Any, NamedTuple

import ormsgpack
import xxhash
from langchain_core import messages
from langgraph.checkpoint.serde import jsonplus

from pgagent.saver.serde import Coder, Serialised

ITEM_COST = 180
"""Bytes that an item costs beside its own: row, key and index entry."""

MEMORY_BYTES = 64 * 1024 * 1024
"""What :class:`Memory` holds unless told otherwise: about 6,000 conversations of 500 messages."""

DIGEST_FORMAT = "xxh3-128/1"
"""How :func:`fingerprint` and the digests of values are made; change it with either."""

_DIGEST = 16

_MESSAGES: dict[type, bytes] = {
    kind: kind.__name__.encode() + b"\0"
    for name in messages.__all__
    if isinstance(kind := getattr(messages, name), type) and issubclass(kind, messages.BaseMessage)
}
"""Classes of messages, and what stands for them in digests."""

_SCALARS = (int, float, bool, type(None))


class Items(NamedTuple):
    """A value as items: a list's elements, or a dict's pairs."""

    kind: str
    items: list[Any]


def itemised(value: Any) -> Items | None:
    """A list, or a dict with text keys, as items; None for what is always stored whole.

    Exact types: a subclass is no list to its serializer. Numbers are never worth a row each.
    """
    if type(value) is list:
        if not value or type(value[0]) in _SCALARS:
            return None if value else Items("list", [])
        return Items("list", value)
    if type(value) is dict and value and all(type(key) is str for key in value):
        return Items("dict", [[key, item] for key, item in value.items()])
    return None


class Fingerprints:
    """Digests of items that change when what the serializer would store changes.

    Of the object's content, taken where it lies: identity proves nothing, since nodes edit in place
    what they share. A message is its class, fields and extra fields, packed with the serializer's
    own options, so that the digest sees exactly what the serializer sees; plain values are packed
    too. What that cannot pack is serialised, and its bytes are digested.
    """

    def __init__(self, coder: Coder) -> None:
        self._coder = coder

    def of_all(self, items: Sequence[Any], name: str) -> bytes:
        """The digests of items, one after the other. Raises as :meth:`Coder.clear`."""
        if self._coder.is_jsonplus:
            try:
                return b"".join(map(_packed, items))
            except TypeError:  # not all of them can be packed
                pass
        return b"".join([self.of(item, name) for item in items])

    def of(self, item: Any, name: str) -> bytes:
        """The digest of an item: 16 bytes. Raises as :meth:`Coder.clear`."""
        if self._coder.is_jsonplus:
            try:
                return _packed(item)
            except TypeError:
                pass
        return digest_of(self._coder.clear(item, name))


def digest_of(serialised: Serialised) -> bytes:
    """The digest of a value, of its clear bytes: encrypted ones are others each time."""
    type_, blob = serialised
    return xxhash.xxh3_128_digest(b"".join((type_.encode(), b"\0", blob)))


# Runs for each item of a list at each put: 0.23 ms for 500 messages; in plainer words, 0.36.
def _packed(item: Any) -> bytes:
    name = _MESSAGES.get(type(item))
    if name is None:
        return _digest(_pack(item, None, _OPTION))
    packed = name + _pack(item.__dict__, None, _OPTION)
    extra = item.__pydantic_extra__
    if extra:
        packed += _pack(extra, None, _OPTION)
    return _digest(packed)


_pack, _OPTION, _digest = ormsgpack.packb, jsonplus._option, xxhash.xxh3_128_digest


def copy_of(item: Any) -> Any:
    """A shallow copy, as ``copy.copy`` makes it.

    A message shares its note of which fields were given: a set for each makes a list of 500
    checkpoints twice as slow, most of that in the garbage collector.
    """
    kind = type(item)
    if kind not in _MESSAGES or item.__pydantic_private__ is not None:
        return copy(item)
    made = object.__new__(kind)
    extra = item.__pydantic_extra__
    _set(made, "__dict__", item.__dict__.copy())
    _set(made, "__pydantic_fields_set__", item.__pydantic_fields_set__)
    _set(made, "__pydantic_extra__", None if extra is None else extra.copy())
    _set(made, "__pydantic_private__", None)
    return made


_set = object.__setattr__


class Known(NamedTuple):
    """What is remembered of a version that is stored."""

    version: str
    kind: str
    as_items: bool
    saved: int
    digests: bytes
    sizes: array[int]

    @property
    def cost(self) -> int:
        """Bytes of memory, about."""
        return 300 + len(self.digests) + self.sizes.itemsize * len(self.sizes)


class ChannelKey(NamedTuple):
    """A channel of a thread."""

    thread_id: str
    checkpoint_ns: str
    channel: str


class Memory:
    """The last stored version of each channel; bounded, the least used goes first.

    Losing an entry costs one full write, never correctness.
    """

    def __init__(self, max_bytes: int = MEMORY_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._known: OrderedDict[ChannelKey, Known] = OrderedDict()
        self._turn = Lock()

    def get(self, key: ChannelKey) -> Known | None:
        """What is known of a channel's last stored version."""
        with self._turn:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
            return known

    def note(self, key: ChannelKey, known: Known) -> None:
        """Remembers a version that is stored now."""
        with self._turn:
            self._forget(key)
            self._known[key] = known
            self._bytes += known.cost
            while self._bytes > self._max_bytes and len(self._known) > 1:
                self._forget(next(iter(self._known)))

    def forget(self, keys: Iterable[ChannelKey]) -> None:
        """Drops what is remembered of some channels."""
        with self._turn:
            for key in keys:
                self._forget(key)

    def _forget(self, key: ChannelKey) -> None:
        known = self._known.pop(key, None)
        if known is not None:
            self._bytes -= known.cost


Part = int | list[int]


class Difference(NamedTuple):
    """A value against a base: parts in order, and the positions of the items that are new."""

    parts: list[Part]
    fresh: list[int]


def difference(base: bytes, digests: bytes) -> Difference:
    """A value as parts of a base, by the digests of their items.

    Parts are ``[from, to]``, items of the base by position, or a number, the next new items. What
    begins or ends alike is found by comparing; in between each item is looked up in the base, the
    next place there first, so that windows, removals and moved blocks stay few parts.
    """
    old, new = len(base) // _DIGEST, len(digests) // _DIGEST
    head = _alike(base, digests, min(old, new))
    if head == 0 and (slid := _slid(base, digests)):
        return Difference([[slid, old], new - old + slid], list(range(old - slid, new)))
    tail = _alike_at_the_end(base, digests, min(old, new) - head)
    places: dict[bytes, int] = {}
    if head + tail < new:
        places = {_nth(base, place): place for place in range(old - 1, -1, -1)}
    parts = _Parts()
    if head:
        parts.keep(0, head)
    expected = head
    for position in range(head, new - tail):
        digest = _nth(digests, position)
        follows = expected < old and _nth(base, expected) == digest
        place = expected if follows else places.get(digest)
        if place is None:
            parts.add(position)
        else:
            parts.keep(place, place + 1)
            expected = place + 1
    if tail:
        parts.keep(old - tail, old)
    return Difference(parts.parts, parts.fresh)


def _slid(base: bytes, digests: bytes) -> int:
    """How many items went from the front, when no other went and what came behind is new; else 0.

    What a window does at each turn, without looking up each item.
    """
    place = base.find(digests[:_DIGEST]) if digests else -1
    kept = len(base) - place
    if place <= 0 or place % _DIGEST or kept >= len(digests):
        return 0
    came = range(kept // _DIGEST, len(digests) // _DIGEST)
    if digests[:kept] != base[place:] or any(_nth(digests, n) in base for n in came):
        return 0
    return place // _DIGEST


class _Parts:
    """Collects parts, neighbours as one."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.fresh: list[int] = []

    def keep(self, start: int, end: int) -> None:
        if self.parts and isinstance(last := self.parts[-1], list) and last[1] == start:
            last[1] = end
        else:
            self.parts.append([start, end])

    def add(self, position: int) -> None:
        self.fresh.append(position)
        if self.parts and isinstance(last := self.parts[-1], int):
            self.parts[-1] = last + 1
        else:
            self.parts.append(1)


def _nth(digests: bytes, position: int) -> bytes:
    return digests[position * _DIGEST : (position + 1) * _DIGEST]


def _alike(one: bytes, other: bytes, most: int) -> int:
    """How many items are alike from the beginning, by halving."""
    return _longest(most, lambda n: one[: n * _DIGEST] == other[: n * _DIGEST])


def _alike_at_the_end(one: bytes, other: bytes, most: int) -> int:
    return _longest(
        most,
        lambda n: one[len(one) - n * _DIGEST :] == other[len(other) - n * _DIGEST :],
    )


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    if most <= 0:
        return 0
    low, high = 0, most
    if holds(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
