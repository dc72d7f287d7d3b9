"""Serialising beside the event loop: heavy values would hold up everything else that runs there."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pgagent.calls import Row

T = TypeVar("T")

HEAVY = 100_000
"""Bytes from which on a thread is worth its price: about a millisecond of serialising."""

_OBJECT = 100
"""What an object weighs beside its text."""


class Beside:
    """Does the work of one saver and its clones, in threads that do nothing else.

    Not in the loop's own threads: sync nodes that wait for the saver may have taken all of them.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="pgagent-serialise")

    async def run(self, work: Callable[[], T], *, heavy: bool) -> T:
        """The result of ``work``: done here, or in a thread when it is ``heavy``."""
        if not heavy:
            return work()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, contextvars.copy_context().run, work)

    def close(self) -> None:
        """Lets the threads end."""
        self._threads.shutdown(wait=False)


def is_heavy(values: Iterable[Any]) -> bool:
    """Whether values weigh more than ``HEAVY``; looks no further than that."""
    weight = 0
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
            weight += _OBJECT + sum(len(key) for key in value if type(key) is str)
        elif isinstance(value, (list, tuple, set, frozenset)):
            weight += _OBJECT * len(value)
            if weight <= HEAVY:
                pending += value
        else:
            fields = getattr(value, "__dict__", None)
            if fields:
                pending.append(fields)
            weight += sys.getsizeof(value)
        if weight > HEAVY:
            return True
    return False


def are_heavy(rows: Sequence[Row]) -> bool:
    """Whether what was read weighs more than ``HEAVY``."""
    return (
        len(rows) > HEAVY // _OBJECT // 10
        or sum(len(field) for row in rows for field in row if type(field) is bytes) > HEAVY
    )
