"""A record of what processes did, whichever way they ended: one line a note, in one file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from langgraph.runtime import get_runtime


class Journal:
    """Notes of any number of processes and threads, in the order in which they were written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, what: str, **more: Any) -> None:
        os.write(self._fd, (json.dumps({"what": what, **more}) + "\n").encode())

    def ran(self, node: str) -> None:
        """Notes, from within a node, that it runs; with its task and checkpoint."""
        info = get_runtime().execution_info
        assert info is not None
        self.note("ran", node=node, task=info.task_id, checkpoint=info.checkpoint_id)

    def notes(self, *kinds: str) -> list[dict[str, Any]]:
        notes = [json.loads(line) for line in self.path.read_text().splitlines()]
        return [note for note in notes if not kinds or note["what"] in kinds]

    def nodes(self) -> list[str]:
        """Which nodes ran, in order, once for each time."""
        return [note["node"] for note in self.notes("ran")]

    def finished(self, node: str) -> bool:
        """Whether what a node wrote was stored."""
        tasks = {note["task"] for note in self.notes("ran") if note["node"] == node}
        return any(note["task"] in tasks for note in self.notes("acknowledged"))

    def count(self, kind: str) -> int:
        return len(self.notes(kind))
