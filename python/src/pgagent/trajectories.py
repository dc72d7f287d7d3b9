"""What an agent did, and how that compares with what it should have done.

The comparison is ``compare_trajectories`` in SQL; here LangChain's messages become what it takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import BaseMessage, convert_to_messages

from pgagent import calls
from pgagent.aio import AsyncClient
from pgagent.calls import Call, Comparison
from pgagent.client import Client
from pgagent.jsonable import jsonable

Mode = Literal["strict", "unordered", "subset", "superset"]
Arguments = Literal["exact", "ignore", "subset", "superset"]
Matcher = Callable[[dict[str, Any], dict[str, Any]], bool]
"""Whether the arguments of a call, ours and the reference's, are as good as equal."""

Rule = Arguments | Sequence[str] | Matcher
"""What holds for one tool: a word, the arguments that must be equal, or a function."""

Message = dict[str, Any]

_ROLES = {"human": "user", "ai": "assistant"}


def messages_of(source: Any) -> list[Message]:
    """A trajectory as ``compare_trajectories`` takes it.

    ``source``: messages of LangChain, in OpenAI's format, or in that of ``trajectory``; or a state
    with ``messages``.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(source, Mapping) and "messages" in source:
        source = source["messages"]
    if isinstance(source, (str, Mapping)) or not isinstance(source, Iterable):
        raise ValueError("messages are wanted, or a state that has them")
    return [_message_of(message) for message in source]


def _message_of(message: Any) -> Message:
    if isinstance(message, Mapping) and all(
        "name" in call for call in message.get("tool_calls") or []
    ):
        role, tool_calls = message.get("role"), message.get("tool_calls") or []
    else:
        if not isinstance(message, BaseMessage):
            (message,) = convert_to_messages([message])
        role = message.type
        tool_calls = getattr(message, "tool_calls", [])
    made = [{"name": call["name"], "args": call.get("args") or {}} for call in tool_calls]
    return {"role": _ROLES.get(str(role), role), **({"tool_calls": jsonable(made)} if made else {})}


def compare(
    client: Client,
    trajectory: Any,
    reference: Any,
    *,
    mode: Mode = "strict",
    arguments: Arguments = "exact",
    tools: Mapping[str, Rule] | None = None,
) -> Comparison:
    """Compares what an agent did with what it should have done: ``compare_trajectories``.

    Args:
        client: where it is compared; nothing is stored.
        trajectory: what it did; see :func:`messages_of`.
        reference: what it should have done, likewise.
        mode: ``strict``, ``unordered``, ``subset`` or ``superset``.
        arguments: when the arguments of two calls are as good as equal.
        tools: what holds for a tool instead; see :data:`Rule`. A function is given the arguments
            of ours and of the reference's, in this order in every mode.

    Raises:
        BadArgument: what was given is no trajectory, or there is no such mode or rule.
    """
    return client.run(comparing(trajectory, reference, mode=mode, arguments=arguments, tools=tools))


async def acompare(
    client: AsyncClient,
    trajectory: Any,
    reference: Any,
    *,
    mode: Mode = "strict",
    arguments: Arguments = "exact",
    tools: Mapping[str, Rule] | None = None,
) -> Comparison:
    """As :func:`compare`."""
    return await client.run(
        comparing(trajectory, reference, mode=mode, arguments=arguments, tools=tools)
    )


def comparing(
    trajectory: Any,
    reference: Any,
    *,
    mode: Mode = "strict",
    arguments: Arguments = "exact",
    tools: Mapping[str, Rule] | None = None,
) -> Call[Comparison]:
    """The call of :func:`compare`."""
    ours, theirs = messages_of(trajectory), messages_of(reference)
    rules = {
        tool: {"pairs": _pairs(tool, rule, ours, theirs)} if callable(rule) else rule
        for tool, rule in (tools or {}).items()
    }
    return calls.compare_trajectories(ours, theirs, mode=mode, arguments=arguments, tools=rules)


def _pairs(
    tool: str, alike: Matcher, ours: list[Message], theirs: list[Message]
) -> list[tuple[int, int]]:
    """The numbers of the calls of a tool that a function finds alike."""
    return [
        (m, n)
        for (m, our_args), (n, their_args) in itertools.product(
            _calls_of(tool, ours), _calls_of(tool, theirs)
        )
        if alike(our_args, their_args)
    ]


def _calls_of(tool: str, messages: list[Message]) -> list[tuple[int, dict[str, Any]]]:
    made = itertools.chain.from_iterable(message.get("tool_calls", []) for message in messages)
    return [(n, call["args"]) for n, call in enumerate(made) if call["name"] == tool]
