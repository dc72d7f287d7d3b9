"""What a worker process does right now, for somebody who is about to kill it.

Two files outlive the process, however it ends: a page of memory with a count for each phase, and a
journal to which every step is written before it is taken.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from threading import Lock
from typing import NamedTuple


class Phase(IntEnum):
    """Where a worker is with its job; of several threads, the one that is furthest."""

    STARTING = 0
    IDLE = 1
    JOB = 2
    TOOL = 3
    INPUT = 4
    MODEL = 5
    RECEIPT = 6
    RESULT = 7

    @property
    def label(self) -> str:
        """The phase in words."""
        return _LABELS[self]


_LABELS = {
    Phase.STARTING: "starting",
    Phase.IDLE: "between jobs",
    Phase.JOB: "between steps",
    Phase.TOOL: "at another point of a tool call",
    Phase.INPUT: "before the first checkpoint",
    Phase.MODEL: "inside a node",
    Phase.RECEIPT: "between effect and receipt",
    Phase.RESULT: "after the last checkpoint",
}

KILLED_IN = (Phase.INPUT, Phase.MODEL, Phase.RECEIPT, Phase.RESULT)
"""What kills are aimed at. No call to the server is under way there, but for renewals."""

STOPPED_IN = (Phase.MODEL, Phase.RECEIPT)
"""Where workers are stopped for longer than their lease: what comes next is a write. In the other
two it is not: a worker that comes back sees by its own clock that its lease is over."""


class Probe:
    """A worker's phase, in a shared page of memory."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            path.write_bytes(bytes(phase is Phase.STARTING for phase in Phase))
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), len(Phase))
        self._turn = Lock()

    def started(self) -> None:
        """Say that this process has started."""
        self._page[Phase.STARTING] = 0

    @contextmanager
    def inside(self, phase: Phase) -> Iterator[None]:
        """Within the block, this process is in the phase: once for each thread that is."""
        self._count(phase, 1)
        try:
            yield
        finally:
            self._count(phase, -1)

    @property
    def phase(self) -> Phase:
        """The phase the process is in, or was in when it died."""
        return max((phase for phase in Phase if self._page[phase]), default=Phase.IDLE)

    @property
    def may_stop(self) -> bool:
        """Whether the process may be stopped for longer than its lease.

        Not while any tool was told to act and has not: it would act when it goes on, whoever has
        acted in its place meanwhile. No fence reaches an outside service.
        """
        return self.phase in STOPPED_IN and self._page[Phase.TOOL] == self._page[Phase.RECEIPT]

    def close(self) -> None:
        """Let go of the page; the file stays."""
        self._page.close()

    def _count(self, phase: Phase, by: int) -> None:
        with self._turn:
            self._page[phase] += by


class Step(NamedTuple):
    """One run of a node: the thread, and how many messages it had."""

    node: str
    position: int
    thread_id: str


class Journal:
    """Every run of a node by any worker: a line in one file, written before the node acts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def note(self, step: Step) -> None:
        """Append a step: one write, so that lines of several processes do not mix."""
        line = f"{step.node} {step.position} {step.thread_id}\n"
        os.write(self._file, line.encode())

    def read(self) -> list[Step]:
        """Return all steps so far, in order."""
        lines = (line.split(" ", 2) for line in self._path.read_text().splitlines())
        return [Step(node, int(position), thread_id) for node, position, thread_id in lines]
