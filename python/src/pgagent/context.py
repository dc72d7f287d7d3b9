"""A conversation that fits the model: its beginning as a summary, the rest verbatim.

Two places hold conversations. :func:`compact` is for ``session_messages``: the messages stay, and
``context_window`` shows the summary in their place. :func:`compaction` is for the messages of
a graph's state: the channel itself shrinks, and older checkpoints keep what it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from pgagent.aio import AsyncClient
from pgagent.client import Client
from pgagent.errors import IdempotencyConflict, IllegalTransition

KEEP = 20
"""Messages that stay verbatim, unless told otherwise."""

THRESHOLD = 0.7
"""What part of the model's context may be used, unless told otherwise."""

SUMMARY = "summary"
"""The ``name`` of the system message that stands for what was summarised."""

Message = dict[str, Any]


def compact(
    client: Client,
    thread_id: str,
    summarize: Callable[[list[Message]], str],
    *,
    keep: int = KEEP,
    fencing_token: int | None = None,
    model: str | None = None,
) -> bool:
    """Summarises the beginning of a thread's messages: ``record_summary``.

    ``summarize`` is given the rows of ``messages_to_summarize``, the summary before among them, and
    returns the text of the new one. No transaction is open meanwhile. When it raises, nothing has
    changed.

    Returns:
        Whether a summary was recorded: False when there is nothing to summarise, or when somebody
        else recorded one meanwhile.
    """
    messages = client.messages_to_summarize(thread_id, keep=keep)
    if not messages:
        return False
    try:
        return client.record_summary(
            thread_id,
            messages[-1]["seq"],
            summarize(messages),
            fencing_token=fencing_token,
            model=model,
        )
    except (IdempotencyConflict, IllegalTransition):
        return False


async def acompact(
    client: AsyncClient,
    thread_id: str,
    summarize: Callable[[list[Message]], Awaitable[str]],
    *,
    keep: int = KEEP,
    fencing_token: int | None = None,
    model: str | None = None,
) -> bool:
    """As :func:`compact`, with a function to await."""
    messages = await client.messages_to_summarize(thread_id, keep=keep)
    if not messages:
        return False
    summary = await summarize(messages)
    try:
        return await client.record_summary(
            thread_id, messages[-1]["seq"], summary, fencing_token=fencing_token, model=model
        )
    except (IdempotencyConflict, IllegalTransition):
        return False


def compaction(
    summarize: Callable[[list[AnyMessage]], str],
    context_size: int,
    *,
    keep: int = KEEP,
    threshold: float = THRESHOLD,
    upcoming: int = 0,
    count_tokens: Callable[[Sequence[AnyMessage]], int] = count_tokens_approximately,
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A node that shrinks the ``messages`` of a graph's state before they no longer fit.

        builder.add_node("compact", compaction(summarize, context_size=128_000))
        builder.add_edge(START, "compact")

    Args:
        summarize: makes the text of a summary from messages, the summary before among them.
        context_size: tokens that the model's context holds.
        keep: how many messages stay verbatim, at least; see :func:`split`.
        threshold: from 0 to 1: what part of the context may be used before it acts.
        upcoming: tokens of what goes to the model besides: its tools, and what it may answer.
        count_tokens: counts the tokens of messages; by default, an estimate.
    """

    def compact_messages(state: dict[str, Any]) -> dict[str, Any]:
        messages: list[AnyMessage] = state["messages"]
        if count_tokens(messages) + upcoming <= threshold * context_size:
            return {}
        standing, old, kept = split(messages, keep)
        if not old:
            return {}
        summary = SystemMessage(summarize(old), name=SUMMARY)
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *standing, summary, *kept]}

    return compact_messages


def split(
    messages: Sequence[AnyMessage], keep: int = KEEP
) -> tuple[list[AnyMessage], list[AnyMessage], list[AnyMessage]]:
    """Parts messages into system messages at the head, which stand, what may be summarised, and
    what stays.

    At least ``keep`` stay. A model's message stays with the results of its calls; calls without
    results are under way until the model speaks again, and stay too.
    """
    head = 0
    while head < len(messages) and _stands(messages[head]):
        head += 1
    cut = head
    reach = 0
    for place in range(head, len(messages) - keep):
        reach = max(reach, _reach(messages, place))
        if reach <= place:
            cut = place + 1
    return list(messages[:head]), list(messages[head:cut]), list(messages[cut:])


def _stands(message: BaseMessage) -> bool:
    return message.type == "system" and message.name != SUMMARY


def _reach(messages: Sequence[AnyMessage], place: int) -> int:
    """Up to which message one belongs together with what follows it."""
    message = messages[place]
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return place
    calls = {call["id"] for call in message.tool_calls}
    for later in range(place + 1, len(messages)):
        follower = messages[later]
        if isinstance(follower, ToolMessage) and follower.tool_call_id in calls:
            calls = calls - {follower.tool_call_id}
            if not calls:
                return later
        elif isinstance(follower, AIMessage):
            return later - 1  # it has given the others up
    return len(messages)
