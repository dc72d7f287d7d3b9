"""Which token a thread had when it was read: what a plain run hands back with its writes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock


class SeenTokens:
    """The fencing token that this saver's last read of each thread saw; bounded, newest kept.

    A plain run hands back what it saw with its writes: one that began before somebody else owned
    the thread is stale, and one that began after a deletion may begin the thread anew. These tokens
    are for the first run of a thread, which has read no checkpoint that could remember one; see
    :class:`~pgagent.fence.SeenThread`. Losing an entry only means that the server has less to
    compare.
    """

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._tokens: OrderedDict[str, int] = OrderedDict()
        self._turn = Lock()

    def note(self, thread_id: str, token: int) -> None:
        """Remembers the token of a thread that was read."""
        with self._turn:
            self._tokens[thread_id] = token
            self._tokens.move_to_end(thread_id)
            if len(self._tokens) > self._size:
                self._tokens.popitem(last=False)

    def get(self, thread_id: str) -> int | None:
        """The token that the last read of a thread saw."""
        return self._tokens.get(thread_id)
