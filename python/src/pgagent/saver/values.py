"""Channel values as they travel to the server: whole, or as parts of the version before."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import xxhash

from pgagent.errors import BadArgument
from pgagent.saver.body import Body
from pgagent.saver.items import (
    DIGEST_FORMAT,
    ITEM_COST,
    ChannelKey,
    Fingerprints,
    Items,
    Known,
    Memory,
    Part,
    difference,
    digest_of,
    itemised,
)
from pgagent.saver.large import LargeValues
from pgagent.saver.places import channel_name
from pgagent.saver.serde import Coder, Serialised

Learned = dict[ChannelKey, Known]
"""What the memory may note once the server has said that a call is stored."""


class Values:
    """Encodes the new channel values of one checkpoint.

    A list or dict is sent as items when that costs less than sending it whole: against a version
    that is stored as items, when its new items do; against one that is stored whole, once the bytes
    that items would have saved since reach the price of writing them all.
    """

    def __init__(self, coder: Coder, memory: Memory, body: Body, large: LargeValues) -> None:
        self._coder = coder
        self._fingerprints = Fingerprints(coder)
        self._memory = memory
        self._body = body
        self._large = large
        self.learned: Learned = {}

    def add(self, key: ChannelKey, version: str, value: Any) -> dict[str, Any]:
        """Adds a value to the body; returns its element of the header's ``channels``.

        Raises:
            BadArgument: the value cannot be stored; names the channel, and where in the value.
        """
        name = channel_name(key.channel)
        split = itemised(value)
        element: dict[str, Any] = {"channel": key.channel, "version": version}
        if split is None:
            clear = self._coder.clear_whole(value, name)
            self._large.look(key.channel, len(clear[1]))
            element |= self._digest(digest_of(clear))
            return element | self._body.add(self._coder.seal(clear))
        try:
            digests = self._fingerprints.of_all(split.items, name)
        except BadArgument:
            self._coder.clear(value, name)  # says where in the whole value
            raise
        element |= self._digest(xxhash.xxh3_128_digest(split.kind.encode() + digests))
        known = self._memory.get(key)
        if known is not None and known.kind != split.kind:
            known = None
        as_items = None
        if known is not None and known.as_items:
            as_items = self._as_items(key, known, split, digests)
        if as_items is None:
            blob = self._coder.dumps(value, name)
            saved = self._saved(known, split, digests, len(blob[1]), name)
            if saved >= len(blob[1]) + ITEM_COST * len(split.items):
                as_items = self._as_items(key, None, split, digests)
        if as_items is None:
            self._large.look(key.channel, len(blob[1]))
            self.learned[key] = Known(version, split.kind, False, saved, digests, array("I"))
            return element | self._body.add(blob) | {"saved": saved}
        members, sizes = as_items
        self.learned[key] = Known(version, split.kind, True, 0, digests, sizes)
        return element | members

    def carried(self, channel: str, version: str, value: Any) -> dict[str, Any]:
        """Adds a value of an earlier version, which may be stored or not; without a digest, since
        what a node edits in place and does not return is no new version."""
        stored = self._coder.dumps_whole(value, f"channel {channel!r}")
        return {"channel": channel, "version": version, **self._body.add(stored)}

    def _digest(self, digest: bytes) -> dict[str, str]:
        """What the server is told of a digest: nothing where values are encrypted.

        It would say which values are equal, and whether a guess is right.
        """
        if self._coder.encrypts:
            return {}
        return {"digest": digest.hex(), "digest_format": DIGEST_FORMAT}

    def _as_items(
        self, key: ChannelKey, known: Known | None, split: Items, digests: bytes
    ) -> tuple[dict[str, Any], array[int]] | None:
        """What tells the value as items, and their sizes; None when sending it whole is better."""
        base = b"" if known is None else known.digests
        parts, fresh = difference(base, digests)
        blobs = [self._item(key, split.items[position]) for position in fresh]
        if any(type_.startswith("pickle") for type_, _ in blobs):
            return None  # pickled as a whole, neighbours come back otherwise than one by one
        sizes = _sizes(parts, known.sizes if known is not None else array("I"), blobs)
        if known is not None and fresh and sum(len(b) + ITEM_COST for _, b in blobs) >= sum(sizes):
            return None
        self._large.look(key.channel, max((len(blob) for _, blob in blobs), default=0))
        types = [type_ for type_, _ in blobs]
        return {
            **self._body.add((split.kind, b"".join(blob for _, blob in blobs))),
            "base": None if known is None else known.version,
            "parts": parts,
            "types": types[0] if len(set(types)) == 1 else types,
            "lengths": [len(blob) for _, blob in blobs],
            "size": sum(sizes),
        }, sizes

    def _item(self, key: ChannelKey, item: Any) -> Serialised:
        if type(item) is bytearray:
            item = bytes(item)  # as inside a list
        return self._coder.dumps(item, channel_name(key.channel))

    def _saved(
        self, known: Known | None, split: Items, digests: bytes, size: int, name: str
    ) -> int:
        """What items would have saved since the channel was last written as items, or began."""
        if known is None or known.as_items or not split.items:
            return 0
        fresh = difference(known.digests, digests).fresh
        if 2 * len(fresh) > len(split.items):
            new = size * len(fresh) // len(split.items)
        else:
            new = sum(len(self._coder.dumps(split.items[n], name)[1]) for n in fresh)
        return max(0, known.saved + size - new - ITEM_COST * len(fresh))


def _sizes(parts: Sequence[Part], base: array[int], blobs: Sequence[Serialised]) -> array[int]:
    sizes = array("I")
    place = 0
    for part in parts:
        if isinstance(part, int):
            sizes.extend(len(blob) for _, blob in blobs[place : place + part])
            place += part
        else:
            sizes.extend(base[part[0] : part[1]])
    return sizes
