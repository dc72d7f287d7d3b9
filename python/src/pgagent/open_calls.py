"""Tool calls that a run has left open, answered before the next run begins.

A chat model refuses a history in which it called a tool and no result follows. A run that was
interrupted, cancelled or failed in between leaves its thread so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.pregel import Pregel

INTERRUPTED = "The run was interrupted before this call had a result."


def answers_to_open_calls(messages: Sequence[Any]) -> list[ToolMessage]:
    """Results for the tool calls at the end of a conversation that have none.

    ``messages``: the conversation, oldest first. Calls before the last message that is no tool
    result are not looked at: what is added at the end cannot answer them any more.
    """
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        elif isinstance(message, AIMessage):
            return [
                ToolMessage(INTERRUPTED, tool_call_id=call["id"], name=call["name"], status="error")
                for call in message.tool_calls
                if call["id"] and call["id"] not in answered
            ]
        else:
            break
    return []


def open_in(graph: Pregel[Any, Any, Any, Any], values: Any) -> dict[str, list[ToolMessage]]:
    """What a state lacks, by channel. Only channels that grow by what is written to them count:
    to others an input is all there is."""
    if not isinstance(values, dict):
        return {}
    found = {
        channel: answers_to_open_calls(value)
        for channel, value in values.items()
        if isinstance(value, list)
        and isinstance(graph.channels.get(channel), (BinaryOperatorAggregate, DeltaChannel))
    }
    return {channel: answers for channel, answers in found.items() if answers}


def with_answers(
    graph: Pregel[Any, Any, Any, Any], payload: Any, missing: dict[str, list[ToolMessage]]
) -> tuple[Any, dict[str, list[ToolMessage]]]:
    """An input that begins with the answers, as one step; and those that it cannot take, because it
    is no mapping or the graph reads no such channel from its input."""
    if not isinstance(payload, dict):
        return payload, missing
    taken, rest = dict(payload), {}
    readable = _input_channels(graph)
    for channel, answers in missing.items():
        given = payload.get(channel, [])
        given = given if isinstance(given, list) else [given]
        answered = {_answers(message) for message in given}
        new = [answer for answer in answers if answer.tool_call_id not in answered]
        if channel in readable:
            taken[channel] = [*new, *given]
        elif new:
            rest[channel] = new
    return taken, rest


def scribe(graph: Pregel[Any, Any, Any, Any]) -> str | None:
    """A node in whose name a state may be edited without a route of the graph being asked; None
    when there is none."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        return None
    return next((name for name in builder.nodes if not builder.branches.get(name)), None)


def _input_channels(graph: Pregel[Any, Any, Any, Any]) -> set[str]:
    builder = getattr(graph, "builder", None)
    if builder is None:
        return set()
    return set(builder.schemas.get(builder.input_schema, {}))


def _answers(message: Any) -> Any:
    """The tool call that a message of an input answers, if any."""
    if isinstance(message, dict):
        return message.get("tool_call_id")
    return getattr(message, "tool_call_id", None)
