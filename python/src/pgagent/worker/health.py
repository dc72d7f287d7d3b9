"""A file that says that a worker is alive: its time is that of the last turn of its loop."""

from __future__ import annotations

import logging
import time
from pathlib import Path

log = logging.getLogger("pgagent.worker")

EVERY = 5.0
"""Seconds from one touch to the next, at most, while the loop turns."""


class Health:
    """Touches a file at each turn of a loop, once a second at most; none without a path.

    What watches it should allow a minute: while the server is away, a turn may take half of one.
    """

    def __init__(self, path: str | Path | None) -> None:
        self._path = None if path is None else Path(path)
        self._touched: float | None = None

    @property
    def every(self) -> float | None:
        """Seconds that a pause of the loop may last; None: as long as it likes."""
        return None if self._path is None else EVERY

    def begin(self) -> None:
        """Makes the file.

        Raises:
            OSError: it cannot be made.
        """
        if self._path is not None:
            self._path.touch()
            self._touched = time.monotonic()

    def touch(self) -> None:
        """Notes that the loop has turned."""
        now = time.monotonic()
        if self._path is None or (self._touched is not None and now - self._touched < 1.0):
            return
        self._touched = now
        try:
            self._path.touch()
        except OSError as error:
            log.warning("the health file cannot be touched: %s", error)

    def end(self) -> None:
        """Removes the file: a worker that ended is not alive."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
