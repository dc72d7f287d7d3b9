"""Which checkpoints are stored and which are on their way: what a task's writes wait for.

LangGraph starts a step before the checkpoint that it runs from is stored, even in sync durability.
Writes that were stored first would outlive a refused checkpoint, and a crash in between would leave
results of a step that nothing leads to.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

PUT_SECONDS = 60.0
"""How long writes wait for a put that is under way."""

UNKNOWN_SECONDS = 0.25
"""How long they wait for one that has not begun: a restore stores writes first, and a sixth of all
calls come that little too early."""

_FAILED = 1_000


class CheckpointKey(NamedTuple):
    """The name of a checkpoint."""

    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str


class _Flight:
    """What is under way for one checkpoint, or waited for."""

    def __init__(self) -> None:
        self.puts = 0
        self.landed: Future[Exception | None] = Future()

    def is_under_way(self) -> bool:
        return self.puts > 0 and not self.landed.done()


class Flights:
    """The checkpoints of one saver and its clones.

    Remembers the newest ``size`` that are stored, and the newest puts that failed.

    No I/O: the savers wait as :meth:`before_writes` tells them.
    """

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._stored: OrderedDict[CheckpointKey, None] = OrderedDict()
        self._failed: OrderedDict[CheckpointKey, Exception] = OrderedDict()
        # Those who put or wait hold a flight; it is gone with the last of them.
        self._flights: WeakValueDictionary[CheckpointKey, _Flight] = WeakValueDictionary()
        self._turn = Lock()

    def note(self, key: CheckpointKey) -> None:
        """Remembers a checkpoint that is stored."""
        with self._turn:
            self._note(key)

    @contextmanager
    def put(self, key: CheckpointKey) -> Iterator[None]:
        """Within the block a checkpoint is under way; afterwards it is stored, or the put failed.

        Of several puts of one checkpoint the first that succeeds counts, or else the last failure.
        """
        with self._turn:
            flight = self._flight(key)
            flight.puts += 1
        failure: Exception | None = RuntimeError("the put of this checkpoint was given up")
        try:
            yield
            failure = None
        except Exception as error:
            failure = error
            raise
        finally:
            with self._turn:
                flight.puts -= 1
                if failure is None:
                    self._note(key)
                elif flight.puts == 0 and key not in self._stored:
                    _keep(self._failed, key, _without_frames(failure), _FAILED)
                if not flight.landed.done() and (failure is None or flight.puts == 0):
                    flight.landed.set_result(failure)

    def before_writes(self, key: CheckpointKey) -> Iterator[tuple[Future[Exception | None], float]]:
        """What to wait for before writes of a checkpoint are sent, and how many seconds each.

        Raises:
            Exception: what the put failed with, also when it did so before.
            TimeoutError: it is still under way.
        """
        with self._turn:
            flight = self._flights.get(key)
            if flight is None or not flight.is_under_way():
                if key in self._stored:
                    return
                if key in self._failed:
                    raise _without_frames(self._failed[key])
            flight = self._flight(key)
        yield flight.landed, UNKNOWN_SECONDS
        if flight.puts or flight.landed.done():
            yield flight.landed, PUT_SECONDS
            if not flight.landed.done():
                raise TimeoutError(
                    f"checkpoint {key.checkpoint_id} is not stored after {PUT_SECONDS:.0f} seconds:"
                    " what its tasks wrote was not stored either"
                )
            failure = flight.landed.result()
            if failure is not None:
                raise failure

    def _flight(self, key: CheckpointKey) -> _Flight:
        flight = self._flights.get(key)
        if flight is None or flight.landed.done():
            flight = self._flights[key] = _Flight()
        return flight

    def _note(self, key: CheckpointKey) -> None:
        self._failed.pop(key, None)
        _keep(self._stored, key, None, self._size)


def _keep(known: OrderedDict[CheckpointKey, T], key: CheckpointKey, value: T, size: int) -> None:
    """Notes the newest, and forgets the oldest."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > size:
        known.popitem(last=False)


def _without_frames(error: Exception) -> Exception:
    """The same error once more: one that was raised holds on to all that was at work then."""
    try:
        return copy.copy(error)
    except Exception:  # noqa: BLE001 - a class of its own that cannot be made anew
        return RuntimeError(f"the put of this checkpoint failed: {error!r}")
