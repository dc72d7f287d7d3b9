"""What errors say of a value: its channel, and the place in it where something is wrong."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Refusal(ValueError):
    """Why a value is refused; says nothing of its content."""


def channel_name(channel: str) -> str:
    """A channel as errors give it."""
    return f"channel {channel!r}"


def culprit(
    value: Any, dumps: Callable[[Any], Any], error: Exception
) -> tuple[str, Any, Exception]:
    """Path, part and error: down to the innermost part for which ``dumps`` fails by itself."""
    path = ""
    around: list[int] = []
    while id(value) not in around:
        around.append(id(value))
        for step, part in _parts(value):
            try:
                dumps(part)
            except Exception as inner:  # noqa: BLE001 - whatever a value's methods raise
                path, value, error = path + step, part, inner
                break
        else:
            return path + getattr(error, "path", ""), value, error
    return path, value, Refusal("it holds itself")


def at(path: str) -> str:
    """A path as errors give it; nothing for the value itself."""
    if len(path) > 200:
        path = f"{path[:100]} ... {path[-100:]}"
    return f"at {path}: " if path else ""


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Each part of a value, with how it is reached."""
    match value:
        case dict():
            for key, part in value.items():
                yield f"[{_short(key)}]", part
            for key in value:
                yield f"[key {_short(key)}]", key
        case list() | deque():
            yield from ((f"[{n}]", part) for n, part in enumerate(value))
        case tuple() if hasattr(value, "_fields"):
            yield from ((f".{name}", getattr(value, name)) for name in value._fields)
        case tuple():
            yield from ((f"[{n}]", part) for n, part in enumerate(value))
        case set() | frozenset():
            yield from (("{...}", part) for part in value)
        case _ if not isinstance(value, type):
            yield from ((f".{name}", part) for name, part in _fields(value).items())


def _fields(value: Any) -> Mapping[str, Any]:
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {f.name: getattr(value, f.name) for f in fields if hasattr(value, f.name)}
    if hasattr(value, "model_dump"):
        return {**value.__dict__, **(getattr(value, "__pydantic_extra__", None) or {})}
    if hasattr(value, "node") and hasattr(value, "arg"):
        return {"node": value.node, "arg": value.arg}
    return {}


def _short(key: Any) -> str:
    text = repr(key) if isinstance(key, (str, int, float, bytes)) else type(key).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


def differs_at(one: Any, other: Any, path: str = "") -> str | None:
    """Where two values differ, in type or content; None when they do not."""
    if type(one) is not type(other):
        return path
    if isinstance(one, (set, frozenset)):
        kinds = [sorted(map(_kind, found), key=repr) for found in (one, other)]
        return None if one == other and kinds[0] == kinds[1] else path
    if isinstance(one, deque) and one.maxlen != other.maxlen:
        return path
    parts, others = list(_parts(one)), list(_parts(other))
    if [step for step, _ in parts] != [step for step, _ in others]:
        return path
    if not parts:
        same = one == other or (one != one and other != other)
        return None if same and repr(one) == repr(other) else path
    for (step, part), (_, same) in zip(parts, others, strict=True):
        if (found := differs_at(part, same, path + step)) is not None:
            return found
    return None


def _kind(value: Any) -> Any:
    if isinstance(value, (tuple, frozenset)):
        return type(value), sorted(map(_kind, value), key=repr)
    return type(value), repr(value)
