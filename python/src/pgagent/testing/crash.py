"""A place to crash: the process ends with SIGKILL at a chosen call."""

from __future__ import annotations

import inspect
import os
import signal
from typing import Any, Literal


def crash_at(
    target: object, method: str, n: int = 1, *, when: Literal["before", "after"] = "after"
) -> None:
    """Let this process end with SIGKILL at the n-th call of a method of an object.

    Nothing is flushed and nothing cleaned up: what is left is what a lost machine leaves. Works for
    plain and for async methods::

        crash_at(saver, "put", 3, when="before")

    Args:
        target: for example a saver. The method is replaced on this object only.
        method: its name.
        n: which call, from 1, counted over all threads.
        when: before the method runs, or after it returned.
    """
    original = getattr(target, method)
    calls = 0

    def crash(moment: Literal["before", "after"], call: int) -> None:
        if call == n and when == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def plain(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        call = calls
        crash("before", call)
        result = original(*args, **kwargs)
        crash("after", call)
        return result

    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        call = calls
        crash("before", call)
        result = await original(*args, **kwargs)
        crash("after", call)
        return result

    setattr(target, method, coroutine if inspect.iscoroutinefunction(original) else plain)
