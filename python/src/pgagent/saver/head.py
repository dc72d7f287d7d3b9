"""The newest checkpoint of a thread, read once for several readers of one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple


class Head:
    """The newest root checkpoint of a thread, read just now by its owner; None when it has none.

    It is given out once. A run that owns its thread would read the same; if it lost it meanwhile,
    all that it writes is refused.
    """

    def __init__(self, thread_id: str, found: CheckpointTuple | None) -> None:
        self.thread_id = thread_id
        self._found = found
        self._given = False
        self._turn = Lock()

    def take(self) -> tuple[CheckpointTuple | None] | None:
        """The checkpoint, or that there is none, in a tuple; None when it was given out."""
        with self._turn:
            if self._given:
                return None
            self._given = True
        if self._found is None:
            return (None,)
        return (self._found._replace(checkpoint=_copied(self._found.checkpoint)),)


_known: ContextVar[Head | None] = ContextVar("pgagent_head", default=None)


@contextmanager
def knowing(head: Head | None) -> Iterator[None]:
    """Within the block, the first read of the thread's newest checkpoint is answered with this."""
    reset = _known.set(head)
    try:
        yield
    finally:
        _known.reset(reset)


def known(config: RunnableConfig) -> tuple[CheckpointTuple | None] | None:
    """What a read is answered with, in a tuple; None: ask the server."""
    head = _known.get()
    if head is None:
        return None
    configurable = config["configurable"]
    if configurable.get("checkpoint_ns") or configurable.get("checkpoint_id"):
        return None
    return head.take() if configurable.get("thread_id") == head.thread_id else None


def _copied(checkpoint: Checkpoint) -> Checkpoint:
    """With dicts of its own: LangGraph writes into them when it makes a state of a checkpoint."""
    return {
        **checkpoint,
        "channel_values": dict(checkpoint["channel_values"]),
        "channel_versions": dict(checkpoint["channel_versions"]),
        "versions_seen": {node: dict(seen) for node, seen in checkpoint["versions_seen"].items()},
    }
