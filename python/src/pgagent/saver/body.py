"""Serialised values, one after the other, and where each of them lies."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from pgagent.errors import BadArgument


def serialised(serde: SerializerProtocol, value: Any, name: str) -> tuple[str, bytes]:
    """Type and bytes of a value.

    Raises:
        BadArgument: it cannot be serialised; says which it is, by ``name``.
    """
    try:
        return serde.dumps_typed(value)
    except Exception as error:
        raise BadArgument(
            f"the value of {name} cannot be serialised: {error}",
            detail=f"type: {type(value).__module__}.{type(value).__qualname__}",
            hint="Keep such objects out of the state, or give the saver a serializer for them.",
        ) from error


class Body:
    """Collects serialised values."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, value: tuple[str, bytes]) -> dict[str, Any]:
        """Adds a value; returns its type, and where it lies in bytes."""
        type_, blob = value
        part = {"type": type_, "offset": self._size, "length": len(blob)}
        self._chunks.append(blob)
        self._size += len(blob)
        return part

    def joined(self) -> bytes:
        """All of it."""
        return b"".join(self._chunks)
