"""A state is what a run needs to go on; a channel that carries documents or files is told once."""

from __future__ import annotations

import warnings

LARGE_VALUE = 1_000_000
"""Bytes of one value, or of one item of a list or dict, from which on a saver warns."""

_REMEMBERED = 1_000


class LargeValues:
    """Warns of large values, once a channel.

    ``limit``: the bytes that a value may have without a warning; None never warns.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._told: set[str] = set()

    def look(self, channel: str, size: int) -> None:
        """Warns when a value, or an item, of so many bytes is large, and was not told of."""
        if self._limit is None or size <= self._limit or channel in self._told:
            return
        if len(self._told) < _REMEMBERED:
            self._told.add(channel)
        warnings.warn(
            f"channel {channel!r} holds a value of {size} bytes: each version of it is stored and "
            "read whole. Keep large objects elsewhere and their address in the state "
            "(large_value sets the limit)",
            RuntimeWarning,
            stacklevel=2,
        )
