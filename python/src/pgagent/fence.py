"""How a run carries its fencing token to every write.

The token travels in ``configurable`` under a name that LangGraph hands to every ``put`` and
``put_writes``, nested subgraphs included, and never stores. A few calls lose the configurable (a
call inside a node that names the thread itself, the second step of ``bulk_update_state``); for
those a context variable holds the token of each thread that this context runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from pgagent.errors import NotFound, StaleToken, ThreadGone

TOKEN_KEY = "__pgagent_token"

LEFTOVERS_KEY = "__pgagent_leftovers"
"""Set while a job finishes what an ended run left: its own run has not begun then."""

LOST = (StaleToken, ThreadGone, NotFound)
"""Refusals of a run's own calls which say that it lost its thread or its job."""

_tokens: ContextVar[Mapping[str, int]] = ContextVar("pgagent_tokens", default=MappingProxyType({}))


class SeenThread(str):
    """A thread id that remembers the fencing token which its thread had when it was read.

    LangGraph writes with the ``thread_id`` of the checkpoint it has read, so that a plain run
    brings back the token it began with, whatever else reads the thread meanwhile. (A key of its own
    in ``configurable`` would show in what LangGraph hands to its callers.) Equal to the plain text.
    """

    token: int | None

    def __new__(cls, thread_id: str, token: int | None = None) -> SeenThread:
        """The id of a thread that had this token when it was read."""
        self = super().__new__(cls, thread_id)
        self.token = token
        return self

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and type(other) not in (str, SeenThread):
            return NotImplemented  # such as a pattern that compares by itself
        return str.__eq__(self, other)


class RunToken(int):
    """A fencing token that knows its thread.

    Tokens are small numbers that count up in each thread. A node that hands its own config on and
    changes the ``thread_id`` must not write to that thread because its run happens to have the same
    number.
    """

    thread_id: str | None

    def __new__(cls, token: int, thread_id: str | None = None) -> RunToken:
        """The token of a run of this thread."""
        self = super().__new__(cls, token)
        self.thread_id = thread_id
        return self


class LeaseLost(StaleToken, GraphBubbleUp):
    """Raised inside nodes and tools of a run that lost its thread.

    A ``GraphBubbleUp``, so that ToolNode and retry policies let it through. The saver raises a
    plain :class:`~pgagent.errors.StaleToken`: LangGraph's executor drops bubble-ups from there.
    """


@contextmanager
def ending_lost_runs() -> Iterator[None]:
    """Within a node: a refusal which says that the run lost its thread ends the run."""
    try:
        yield
    except LOST as refusal:
        raise LeaseLost(refusal.args[0], detail=refusal.detail, hint=refusal.hint) from None


@contextmanager
def holding(thread_id: str, token: int) -> Iterator[None]:
    """Within the block, writes to the thread that lost their configurable carry this token."""
    reset = _tokens.set(MappingProxyType({**_tokens.get(), thread_id: token}))
    try:
        yield
    finally:
        _tokens.reset(reset)


def in_a_run() -> bool:
    """Whether this context belongs to a run that owns its thread."""
    return bool(_tokens.get())


def token_of(config: RunnableConfig, thread_id: str) -> int | None:
    """The fencing token a call to this thread carries; None for a plain run."""
    token = config.get("configurable", {}).get(TOKEN_KEY)
    if token is None or (isinstance(token, RunToken) and token.thread_id != thread_id):
        return _tokens.get().get(thread_id)
    return int(token)
