"""The agent that every contender runs: a model and its tools in turn, which cost no time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import _messages_delta_reducer, add_messages

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from bench.texts import Text


class Plain(TypedDict):
    """The usual state of an agent; ``count`` is what it has said and done."""

    messages: Annotated[list[AnyMessage], add_messages]
    count: int


class Delta(TypedDict):
    """The same, rewritten to LangGraph's beta of a channel that stores what is written."""

    messages: Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer)]
    count: int


def agent(
    saver: BaseCheckpointSaver[Any],
    text: Text,
    turns: int,
    *,
    state: type = Plain,
    window: int | None = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """An agent of so many model calls in one invoke: 2 * turns messages, one more checkpoint.

    ``window``: with each turn the model drops all but the last so many messages.
    """

    def model(state: dict[str, Any]) -> dict[str, Any]:
        old = state["messages"][: 1 - window] if window else ()
        dropped = [RemoveMessage(id=message.id) for message in old]
        return {
            "messages": [*dropped, text.at(state["count"])],
            "count": state["count"] + 1,
        }

    def tools(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [text.at(state["count"])], "count": state["count"] + 1}

    def after(state: dict[str, Any]) -> str:
        return "tools" if state["count"] < 2 * turns else END

    builder = StateGraph(state)
    builder.add_node("model", model)
    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", after, ["tools", END])
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=saver)


def config(thread_id: str, turns: int) -> dict[str, Any]:
    """How to invoke it."""
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 2 * turns + 10}


def first(text: Text) -> dict[str, Any]:
    """What it is given."""
    return {"messages": [text.at(0)], "count": 1}
