"""Graphs of plain steps, with functions or coroutine functions as the stage's workers need them."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

from langgraph.graph import START, StateGraph

from support.family import Graph, Saver, State
from support.stage import Stage

Act = Callable[[Stage, Any], Any]


def step(stage: Stage, name: str, act: Act | None = None) -> Callable[..., Any]:
    """A node: notes that it ran, does what is given, and adds its name to the log."""
    if not stage.is_async:

        def run(state: Any) -> Any:
            stage.journal.ran(name)
            if act is not None:
                act(stage, state)
            return {"log": [name]}

        return run

    async def arun(state: Any) -> Any:
        stage.journal.ran(name)
        if act is not None and inspect.isawaitable(done := act(stage, state)):
            await done
        return {"log": [name]}

    return arun


def gate(stage: Stage, state: Any) -> Any:
    """Waits at the gate b."""
    return stage.aat("b") if stage.is_async else stage.at("b")


def chain(stage: Stage, saver: Saver, **acts: Act | None) -> Graph:
    """One step after the other."""
    graph = StateGraph(State)
    for name, act in acts.items():
        graph.add_node(name, step(stage, name, act))
    for one, other in itertools.pairwise([START, *acts]):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=saver)


def waiting(stage: Stage, saver: Saver) -> Graph:
    """Waits at the gate b in its second step of three."""
    return chain(stage, saver, a=None, b=gate, c=None)
