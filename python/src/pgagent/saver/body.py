"""Serialised values, one after the other, and where each of them lies."""

from __future__ import annotations

from typing import Any


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
