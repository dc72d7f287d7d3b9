"""The simplest graphs: nodes in a row, each of which logs its name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.graph import START, StateGraph

from support.family import Graph, Node, Saver, State


def chain(saver: Saver, names: str, act: Callable[[str], object] | None = None) -> Graph:
    """Nodes with names of one letter. ``act``: what each does first, given its name."""

    def node(name: str) -> Node:
        def run(state: State) -> Any:
            if act is not None:
                act(name)
            return {"log": [name]}

        return run

    return _in_a_row(saver, names, node)


def async_chain(
    saver: Saver, names: str, act: Callable[[str], Awaitable[object]] | None = None
) -> Graph:
    """The same with nodes that are awaited, and so is ``act``."""

    def node(name: str) -> Node:
        async def run(state: State) -> Any:
            if act is not None:
                await act(name)
            return {"log": [name]}

        return run

    return _in_a_row(saver, names, node)


def _in_a_row(saver: Saver, names: str, node: Callable[[str], Node]) -> Graph:
    graph = StateGraph(State)
    for one, other in zip([START, *names], names, strict=False):
        graph.add_node(other, node(other)).add_edge(one, other)
    return graph.compile(checkpointer=saver)
