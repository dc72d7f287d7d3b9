"""Whether two values are the same."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Any

from pydantic import BaseModel


def same(one: Any, other: Any) -> bool:
    """Equal in type and content, however deep; NaN equals NaN, and -0.0 is not 0.0."""
    if type(one) is not type(other):
        return False
    match one:
        case float():
            return repr(one) == repr(other)
        case dict():
            return list(map(repr, one)) == list(map(repr, other)) and all(
                same(a, b) for a, b in zip(one.values(), other.values(), strict=True)
            )
        case list() | tuple() | deque():
            return len(one) == len(other) and all(map(same, one, other))
        case set() | frozenset():
            return sorted(map(repr, one)) == sorted(map(repr, other))
        case BaseModel():
            return same(one.__dict__, other.__dict__)
    if dataclasses.is_dataclass(one):
        return all(
            same(getattr(one, field.name), getattr(other, field.name))
            for field in dataclasses.fields(one)
        )
    return bool(one == other)
