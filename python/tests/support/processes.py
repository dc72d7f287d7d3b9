"""Processes of a test's own, which may be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Self

DIED = 9
"""The exit code of a process that ended itself on purpose, without any cleaning up."""


def die() -> None:
    os._exit(DIED)


class Forked:
    """Runs ``work`` in a forked process; on leaving the block it is gone.

    The work must open connections of its own: it has copies of what the parent had open.
    """

    def __init__(self, work: Callable[[], object], timeout: int = 60) -> None:
        self.code: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(timeout)
            work()
            code = 0
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self.code is None:
            self.send(signal.SIGKILL)
            self.wait()

    def send(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def stop(self) -> None:
        """Sends SIGSTOP, and waits until it does stand still."""
        self.send(signal.SIGSTOP)
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def wait(self) -> int:
        """Waits for its end; its exit code, or the negative number of the signal that ended it."""
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code


def in_process(work: Callable[[], object]) -> int:
    """Runs work in a process of its own, to its end; the exit code."""
    with Forked(work) as process:
        return process.wait()


def until(condition: Callable[[], object], timeout: float = 20) -> None:
    """Waits until something is so.

    Raises:
        TimeoutError: it was not so in ``timeout`` seconds.
    """
    give_up = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > give_up:
            raise TimeoutError(f"waited {timeout} seconds in vain")
        time.sleep(0.005)
