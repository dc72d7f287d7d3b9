"""The family of graphs whose crash points are walked, each with what it must end in."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict

from pgagent.resume import Leftovers
from pgagent.saver.base import SaverBase
from support.journal import Journal
from support.processes import die, until

Graph = Pregel[Any, Any, Any, Any]
Node = Callable[[Any], Any]
Saver = SaverBase[Any] | None


class State(TypedDict):
    log: Annotated[list[str], operator.add]
    note: Annotated[list[str], operator.add]


class Inner(TypedDict):
    memory: Annotated[list[str], operator.add]


class Fault(Exception):
    """Raised by a node or a route that fails once."""


@dataclass(frozen=True)
class Case:
    """A graph, what it is given, and what its thread must end in.

    ``points``: how many places to die there are at least, over all deliveries of the job.
    ``failures``: how many of its deliveries end in an error when nobody dies.
    ``leaves_behind``: a job with this payload was cancelled on the thread before.
    ``came_before``: a job with this payload was completed on the thread before.
    ``edited``: a person updates the state when a worker has died, or while the job is paused; at
    ``edits`` of the points at least.
    """

    build: Callable[[Journal, Saver], Graph]
    ends_in: Any
    points: int
    failures: int = 0
    payload: Any = field(default_factory=lambda: {"log": ["in"]})
    answers: dict[str, Any] = field(default_factory=dict)
    leaves_behind: Any = None
    came_before: Any = None
    on_leftovers: Leftovers = "keep"
    edited: Literal["never", "dead", "paused"] = "never"
    edits: int = 0


def step(journal: Journal, name: str) -> Node:
    def run(state: State) -> Any:
        journal.ran(name)
        return {"log": [name]}

    return run


def once(journal: Journal, name: str, *siblings: str) -> None:
    """Fails the first time, when what its siblings wrote is stored: a step ends with a failure."""
    if not any(note["of"] == name for note in journal.notes("failed")):
        with contextlib.suppress(TimeoutError):
            until(lambda: all(journal.finished(node) for node in siblings), timeout=1)
        journal.note("failed", of=name)
        raise Fault(name)


def asking(journal: Journal, name: str, *questions: str) -> Node:
    def run(state: State) -> Any:
        journal.ran(name)
        return {"log": [name + "=" + "/".join(interrupt(question) for question in questions)]}

    return run


def linear(journal: Journal, saver: Saver, **breakpoints: Any) -> Graph:
    graph = StateGraph(State)
    for name in "abc":
        graph.add_node(name, step(journal, name))
    graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", "c")
    return graph.compile(checkpointer=saver, **breakpoints)


def parallel_failing_once(journal: Journal, saver: Saver) -> Graph:
    def failing(state: State) -> Any:
        journal.ran("b2")
        once(journal, "b2", "b1", "b3")
        return {"log": ["b2"]}

    graph = StateGraph(State)
    for name in ("a", "b1", "b3", "c"):
        graph.add_node(name, step(journal, name))
    graph.add_node("b2", failing)
    graph.add_edge(START, "a").add_edge(["b1", "b2", "b3"], "c")
    for name in ("b1", "b2", "b3"):
        graph.add_edge("a", name)
    return graph.compile(checkpointer=saver)


def fan_out(journal: Journal, saver: Saver) -> Graph:
    def work(item: Any) -> Any:
        journal.ran(f"w{item['n']}")
        return {"log": [f"w{item['n']}"]}

    graph = StateGraph(State)
    graph.add_node("plan", step(journal, "plan")).add_node("work", work)
    graph.add_node("fin", step(journal, "fin"))
    graph.add_edge(START, "plan").add_edge("work", "fin")
    graph.add_conditional_edges(
        "plan", lambda state: [Send("work", {"n": n}) for n in range(3)], ["work"]
    )
    return graph.compile(checkpointer=saver)


def subgraph(journal: Journal, saver: Saver, *, keeps_state: bool) -> Graph:
    """``call`` invokes the subgraph; in the other case it is a node as well."""

    def inner(name: str) -> Node:
        def run(state: Inner) -> Any:
            journal.ran(name)
            return {"memory": [name]}

        return run

    built = StateGraph(Inner)
    built.add_node("s1", inner("s1")).add_node("s2", inner("s2"))
    built.add_edge(START, "s1").add_edge("s1", "s2")
    sub = built.compile(checkpointer=True if keeps_state else None)

    class Outer(State):
        memory: list[str]

    def call(state: Outer) -> Any:
        journal.ran("call")
        return {"log": ["+".join(sub.invoke({"memory": []})["memory"])]}

    graph = StateGraph(Outer)
    graph.add_node("call", call).add_node("fin", step(journal, "fin")).add_edge(START, "call")
    if keeps_state:
        graph.add_edge("call", "fin")
    else:
        graph.add_node("sub", sub).add_edge("call", "sub").add_edge("sub", "fin")
    return graph.compile(checkpointer=saver)


def question(journal: Journal, saver: Saver) -> Graph:
    graph = StateGraph(State)
    graph.add_node("ask", asking(journal, "ask", "pay?"))
    for name in ("plan", "side", "fin"):
        graph.add_node(name, step(journal, name))
    graph.add_edge(START, "plan").add_edge("plan", "ask").add_edge("plan", "side")
    graph.add_edge(["ask", "side"], "fin")
    return graph.compile(checkpointer=saver)


def two_questions_of_one_node(journal: Journal, saver: Saver) -> Graph:
    graph = StateGraph(State)
    graph.add_node("ask", asking(journal, "ask", "first?", "second?"))
    graph.add_node("fin", step(journal, "fin"))
    graph.add_edge(START, "ask").add_edge("ask", "fin")
    return graph.compile(checkpointer=saver)


def two_questions_at_once(journal: Journal, saver: Saver) -> Graph:
    graph = StateGraph(State)
    graph.add_node("x", asking(journal, "x", "first?")).add_node(
        "y", asking(journal, "y", "second?")
    )
    graph.add_node("fin", step(journal, "fin"))
    graph.add_edge(START, "x").add_edge(START, "y").add_edge(["x", "y"], "fin")
    return graph.compile(checkpointer=saver)


def question_of_a_subgraph(journal: Journal, saver: Saver) -> Graph:
    def first(state: Inner) -> Any:
        journal.ran("s1")
        return {"memory": ["s1"]}

    def ask(state: Inner) -> Any:
        journal.ran("s2")
        return {"memory": [interrupt("pay?")]}

    built = StateGraph(Inner)
    built.add_node("s1", first).add_node("s2", ask).add_edge(START, "s1").add_edge("s1", "s2")

    class Outer(State):
        memory: list[str]

    graph = StateGraph(Outer)
    graph.add_node("sub", built.compile()).add_node("fin", step(journal, "fin"))
    graph.add_edge(START, "sub").add_edge("sub", "fin")
    return graph.compile(checkpointer=saver)


def route_failing_once(journal: Journal, saver: Saver) -> Graph:
    """``plan`` and ``side`` run in one step; the route out of ``plan`` fails once."""

    def route(state: State) -> str:
        once(journal, "route", "side")
        return "fin"

    graph = StateGraph(State)
    for name in ("plan", "side", "fin"):
        graph.add_node(name, step(journal, name))
    graph.add_edge(START, "plan").add_edge(START, "side")
    graph.add_conditional_edges("plan", route, ["fin"])
    return graph.compile(checkpointer=saver)


def question_then_route_failing_once(journal: Journal, saver: Saver) -> Graph:
    def route(state: State) -> str:
        once(journal, "route")
        return "fin"

    graph = StateGraph(State)
    graph.add_node("ask", asking(journal, "ask", "pay?"))
    for name in ("plan", "fin"):
        graph.add_node(name, step(journal, name))
    graph.add_edge(START, "plan").add_edge("plan", "ask")
    graph.add_conditional_edges("ask", route, ["fin"])
    return graph.compile(checkpointer=saver)


def functional(journal: Journal, saver: Saver) -> Graph:
    @task
    def double(n: int) -> int:
        journal.ran(f"double {n}")
        return 2 * n

    @entrypoint(checkpointer=saver)
    def workflow(start: int) -> list[Any]:
        first = double(start).result()
        second = double(first).result()
        both = [double(10), double(20)]
        return [first, second, *(future.result() for future in both), interrupt("keep?")]

    return workflow


def dying_once(journal: Journal, saver: Saver) -> Graph:
    """``mail`` takes its process with it, once, when what ``pay`` did is stored."""

    def mail(state: State) -> Any:
        journal.ran("mail")
        if not journal.count("mail died"):
            until(lambda: journal.finished("pay"))
            journal.note("mail died")
            die()
        return {"log": ["mail"]}

    graph = StateGraph(State)
    for name in ("plan", "pay", "fin"):
        graph.add_node(name, step(journal, name))
    graph.add_node("mail", mail)
    graph.add_edge(START, "plan").add_edge("plan", "pay").add_edge("plan", "mail")
    graph.add_edge(["pay", "mail"], "fin").add_edge("fin", END)
    return graph.compile(checkpointer=saver)


ONE, TWO = {"log": ["one"]}, {"log": ["two"]}
TWO_RAN = ["two", "plan", "mail", "pay", "fin"]


def log(*entries: str, **more: Any) -> dict[str, Any]:
    return {"log": list(entries), "note": [], **more}


FAMILY = {
    "linear": Case(linear, log("in", "a", "b", "c"), points=18),
    "parallel, one failing once": Case(
        parallel_failing_once, log("in", "a", "b1", "b2", "b3", "c"), points=24, failures=1
    ),
    "fan-out": Case(fan_out, log("in", "plan", "w0", "w1", "w2", "fin"), points=22),
    "subgraph": Case(
        lambda journal, saver: subgraph(journal, saver, keeps_state=False),
        log("in", "s1+s2", "fin", memory=["s1", "s2"]),
        payload={"log": ["in"], "memory": []},
        points=46,
    ),
    "subgraph that keeps its state": Case(
        lambda journal, saver: subgraph(journal, saver, keeps_state=True),
        log("one", "s1+s2", "fin", "two", "s1+s2+s1+s2", "fin"),
        payload=TWO,
        came_before=ONE,
        points=28,
    ),
    "question": Case(
        question,
        log("in", "plan", "ask=yes", "side", "fin"),
        answers={"pay?": "yes"},
        points=22,
    ),
    "two questions of one node": Case(
        two_questions_of_one_node,
        log("in", "ask=A/B", "fin"),
        answers={"first?": "A", "second?": "B"},
        points=18,
    ),
    "two questions at once": Case(
        two_questions_at_once,
        log("in", "x=A", "y=B", "fin"),
        answers={"first?": "A", "second?": "B"},
        points=20,
    ),
    "question of a subgraph": Case(
        question_of_a_subgraph,
        log("in", "fin", memory=["s1", "yes"]),
        payload={"log": ["in"], "memory": []},
        answers={"pay?": "yes"},
        points=32,
    ),
    "breakpoint before": Case(
        lambda journal, saver: linear(journal, saver, interrupt_before=["b"]),
        log("in", "a", "b", "c"),
        answers={"before": True},
        points=18,
    ),
    "breakpoint after": Case(
        lambda journal, saver: linear(journal, saver, interrupt_after=["b"]),
        log("in", "a", "b", "c"),
        answers={"after": True},
        points=18,
    ),
    "route failing once": Case(
        route_failing_once, log("in", "plan", "side", "fin"), points=18, failures=1
    ),
    "functional": Case(
        functional, [2, 4, 20, 40, "yes"], payload=1, answers={"keep?": "yes"}, points=16
    ),
    "leftovers kept": Case(
        dying_once,
        log("one", "plan", "pay", *TWO_RAN),
        payload=TWO,
        leaves_behind=ONE,
        on_leftovers="keep",
        points=22,
    ),
    "leftovers finished": Case(
        dying_once,
        log("one", "plan", "mail", "pay", "fin", *TWO_RAN),
        payload=TWO,
        leaves_behind=ONE,
        on_leftovers="finish",
        points=30,
    ),
    "leftovers dropped": Case(
        dying_once,
        log("one", "plan", *TWO_RAN),
        payload=TWO,
        leaves_behind=ONE,
        on_leftovers="drop",
        points=20,
    ),
    "edited when a worker died": Case(
        linear, log("in", "a", "b", "c"), edited="dead", points=18, edits=14
    ),
    "edited at a pause": Case(
        question_then_route_failing_once,
        log("in", "plan", "ask=yes", "fin"),
        answers={"pay?": "yes"},
        edited="paused",
        points=24,
        failures=1,
        edits=24,
    ),
}
