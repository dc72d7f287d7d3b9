"""JSON that the server can hold, from whatever a model, a tool or a graph produces."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any


def jsonable(value: Any) -> Any:
    """A JSON value for any object: equal where JSON can hold it, close where it cannot.

    NUL and lone surrogates become U+FFFD, NaN and infinities their names, keys text. Messages,
    pydantic models and dataclasses become objects; tuples and sets become lists; anything else its
    ``str()``.
    """
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
        case Mapping():
            return {jsonable(str(key)): jsonable(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [jsonable(item) for item in value]
    if hasattr(value, "model_dump"):
        return jsonable(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return jsonable(str(value))
