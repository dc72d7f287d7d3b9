"""JSON that the server can hold, from whatever a model, a tool or a graph produces."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
"""Lists and objects that lie deeper are given by the name of their class."""

_LONGEST = 10**4300
"""From here on, Python does not turn a number into decimal text."""


def text(value: object) -> str:
    """``str(value)``, or the name of its class where that raises."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - somebody else's code
        return f"<{type(value).__qualname__}>"


def jsonable(value: Any, within: tuple[int, ...] = ()) -> Any:
    """A JSON value for any object: equal where JSON can hold it, close where it cannot.

    NUL and lone surrogates become U+FFFD, NaN and infinities their names, numbers beyond 4,300
    digits hexadecimal text, keys text. Messages, pydantic models and dataclasses become objects;
    tuples and sets become lists; anything else its ``str()``. What holds itself, or lies deeper
    than 100 levels, becomes the name of its class. ``within``: the objects around the value.
    """
    if id(value) in within or len(within) > MAX_DEPTH:
        return f"<{type(value).__qualname__}>"
    inside = (*within, id(value))
    match value:
        case None | bool():
            return value
        case int():
            return value if -_LONGEST < value < _LONGEST else hex(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
        case Mapping():
            return {jsonable(text(key)): jsonable(item, inside) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [jsonable(item, inside) for item in value]
    return jsonable(_members(value), inside)


def _members(value: Any) -> Any:
    """What an object is made of: a mapping, or text."""
    if not isinstance(value, type):
        try:
            if hasattr(value, "model_dump"):
                return value.model_dump()
            if dataclasses.is_dataclass(value):
                return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        except Exception:  # noqa: BLE001 - somebody else's code
            pass
    return text(value)
