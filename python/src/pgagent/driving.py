"""Rules that need answers from outside, written once for sync and for async callers.

A rule is a generator: it yields what is to be done (:class:`Do`), is sent the answer or thrown the
error, and returns what it came to. The two drivers differ in how they wait, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Do:
    """One thing to be done: ``now`` does it, ``later`` gives what does it when it is awaited."""

    now: Callable[[], Any]
    later: Callable[[], Awaitable[Any]]


Rule = Generator[Do, Any, T]
"""A rule, which returns a ``T``."""


def doing(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Do:
    """A call of what is sync for a sync caller and async for an async one, like a client's."""
    bound = partial(function, *args, **kwargs)
    return Do(bound, bound)


def drive(rule: Rule[T]) -> T:
    """Follows a rule to its end."""
    try:
        do = next(rule)
        while True:
            try:
                answer = do.now()
            except BaseException as error:  # noqa: BLE001
                do = rule.throw(error)
            else:
                do = rule.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def adrive(rule: Rule[T]) -> T:
    """Follows a rule to its end, and awaits what it asks for."""
    try:
        do = next(rule)
        while True:
            try:
                answer = await do.later()
            except BaseException as error:  # noqa: BLE001
                do = rule.throw(error)
            else:
                do = rule.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
