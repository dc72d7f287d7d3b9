"""Going back: forks of a thread, and replays of a graph and of its subgraphs, as LangGraph does."""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, StateSnapshot, interrupt
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, NotFound, PgAgentSaver
from support.family import Graph
from support.stage import Stage, thread

Saver = BaseCheckpointSaver[Any]


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


@pytest.fixture
async def async_saver(stage: Stage) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


class State(TypedDict):
    log: Annotated[list[str], operator.add]


def extended(log: list[str], writes: list[list[str]]) -> list[str]:
    return [*log, *(item for write in writes for item in write)]


class DeltaState(TypedDict):
    log: Annotated[list[str], DeltaChannel(extended, snapshot_frequency=3)]


class Ran(list[str]):
    """What nodes have run, in order."""

    def node(self, name: str) -> Callable[[Any], Any]:
        def run(state: Any) -> Any:
            self.append(name)
            return {"log": [f"{name}{len(state['log'])}"]}

        return run

    def asking(self, name: str) -> Callable[[Any], Any]:
        def run(state: Any) -> Any:
            self.append(name)
            return {"log": [f"{name}={interrupt('?')}"]}

        return run

    def taken(self) -> list[str]:
        """What has run since the last call."""
        found = sorted(self)
        self.clear()
        return found


def line(ran: Ran, saver: Saver, state: type = State) -> Graph:
    graph = StateGraph(state)
    for name in "abc":
        graph.add_node(name, ran.node(name))
    graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", "c")
    return graph.compile(checkpointer=saver)


def delta(ran: Ran, saver: Saver) -> Graph:
    return line(ran, saver, DeltaState)


def asking_beside_a_finished_task(ran: Ran, saver: Saver) -> Graph:
    graph = StateGraph(State)
    for name in ("a", "b", "z"):
        graph.add_node(name, ran.node(name))
    graph.add_node("ask", ran.asking("ask"))
    graph.add_edge(START, "a").add_edge("a", "b").add_edge("a", "ask")
    graph.add_edge(["b", "ask"], "z")
    return graph.compile(checkpointer=saver)


def sending(ran: Ran, saver: Saver) -> Graph:
    graph = StateGraph(State)
    graph.add_node("plan", ran.node("plan")).add_node("fin", ran.node("fin"))
    graph.add_node("work", lambda item: {"log": [ran.append(f"w{item}") or f"w{item}"]})
    graph.add_edge(START, "plan").add_edge("work", "fin")
    graph.add_conditional_edges("plan", lambda _: [Send("work", n) for n in range(3)], ["work"])
    return graph.compile(checkpointer=saver)


def with_subgraph(ran: Ran, saver: Saver, *, keeps: bool, asks: bool) -> Graph:
    """``keeps``: the subgraph has a namespace of its own and remembers what it did."""
    inner = StateGraph(State)
    inner.add_node("s1", ran.node("s1"))
    inner.add_node("s2", ran.asking("s2") if asks else ran.node("s2"))
    inner.add_node("s3", ran.node("s3"))
    inner.add_edge(START, "s1").add_edge("s1", "s2").add_edge("s2", "s3")
    sub = inner.compile(checkpointer=True if keeps else None)

    def call(state: State) -> Any:
        ran.append("call")
        return {"log": [f"{len(sub.invoke({'log': ['x']})['log'])}"]}

    graph = StateGraph(State)
    graph.add_node("a", ran.node("a")).add_node("sub", call).add_node("z", ran.node("z"))
    graph.add_edge(START, "a").add_edge("a", "sub").add_edge("sub", "z")
    return graph.compile(checkpointer=saver)


GRAPHS: dict[str, Callable[[Ran, Saver], Graph]] = {
    "line": line,
    "delta": delta,
    "sending": sending,
    "asking": asking_beside_a_finished_task,
    "calls": lambda ran, saver: with_subgraph(ran, saver, keeps=False, asks=False),
    "keeps": lambda ran, saver: with_subgraph(ran, saver, keeps=True, asks=False),
    "calls_asking": lambda ran, saver: with_subgraph(ran, saver, keeps=False, asks=True),
    "keeps_asking": lambda ran, saver: with_subgraph(ran, saver, keeps=True, asks=True),
}
ASKING = {"asking", "calls_asking", "keeps_asking"}


def told(snapshot: StateSnapshot) -> Any:
    """What two threads have in common: no ids, and no times."""
    return (
        (snapshot.metadata or {}).get("step"),
        (snapshot.metadata or {}).get("source"),
        snapshot.values,
        snapshot.next,
        [(task.name, task.result, [i.value for i in task.interrupts]) for task in snapshot.tasks],
    )


def run_twice(graph: Graph, name: str) -> None:
    """Two turns, the second one with questions that are answered."""
    for turn in ("one", "two"):
        graph.invoke({"log": [turn]}, thread(), durability="sync")
        if name in ASKING:
            graph.invoke(Command(resume=turn), thread(), durability="sync")


def finish(graph: Graph, ran: Ran, config: RunnableConfig) -> Any:
    """Goes on, answers what is asked: what ran, and what came of it."""
    thread_id = thread(config["configurable"]["thread_id"])
    found = [graph.invoke(None, config, durability="sync"), ran.taken()]
    if graph.get_state(thread_id).interrupts:
        found += [graph.invoke(Command(resume="yes"), thread_id, durability="sync"), ran.taken()]
    for part in found:
        if isinstance(part, dict):
            part.pop("__interrupt__", None)
    return found, told(graph.get_state(thread_id))


@pytest.mark.parametrize("name", GRAPHS)
def test_a_fork_goes_on_as_a_run_that_is_given_the_old_checkpoint(
    stage: Stage, saver: PgAgentSaver, name: str
) -> None:
    ran = Ran()
    graph = GRAPHS[name](ran, saver)
    run_twice(graph, name)
    ran.taken()
    history = list(graph.get_state_history(thread()))
    assert len(history) >= 8
    before = [told(snapshot) for snapshot in history]
    for n, found in enumerate(history[1:]):
        checkpoint_id = found.config["configurable"]["checkpoint_id"]
        saver.copy_thread("t", f"copy-{n}")
        stage.client.fork_session("t", checkpoint_id, f"fork-{n}")

        forked = graph.get_state(thread(f"fork-{n}"))
        assert (forked.values, forked.next) == (found.values, found.next)
        assert [task.name for task in forked.tasks] == [task.name for task in found.tasks]
        assert forked.metadata is not None
        assert forked.metadata["source"] == "fork"
        there = finish(graph, ran, thread(f"copy-{n}", checkpoint_id=checkpoint_id))
        here = finish(graph, ran, thread(f"fork-{n}"))
        assert here == there
        steps = [told(s)[:4] for s in graph.get_state_history(thread(f"copy-{n}"))]
        forked_steps = [told(s)[:4] for s in graph.get_state_history(thread(f"fork-{n}"))]
        new = len(steps) - len(history)
        assert forked_steps[:new] == steps[:new]
        assert new > 0
    assert [told(snapshot) for snapshot in graph.get_state_history(thread())] == before


@pytest.mark.parametrize("name", GRAPHS)
def test_a_fork_of_the_latest_goes_on_with_another_turn(
    stage: Stage, saver: PgAgentSaver, name: str
) -> None:
    ran = Ran()
    graph = GRAPHS[name](ran, saver)
    run_twice(graph, name)
    ran.taken()
    saver.copy_thread("t", "copy")
    forked = stage.client.fork_session("t", new_thread="fork")
    assert forked.checkpoint_id == graph.get_state(thread()).config["configurable"]["checkpoint_id"]
    answers = []
    for thread_id in ("copy", "fork"):
        graph.invoke({"log": ["three"]}, thread(thread_id), durability="sync")
        if name in ASKING:
            graph.invoke(Command(resume="y"), thread(thread_id), durability="sync")
        answers.append((ran.taken(), told(graph.get_state(thread(thread_id)))))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", sorted(ASKING))
def test_a_fork_of_a_pause_asks_the_same_question_and_repeats_no_finished_task(
    stage: Stage, saver: PgAgentSaver, name: str
) -> None:
    ran = Ran()
    graph = GRAPHS[name](ran, saver)
    graph.invoke({"log": ["in"]}, thread(), durability="sync")
    ran.taken()
    (question,) = graph.get_state(thread()).interrupts
    stage.client.fork_session("t", new_thread="fork")
    (again,) = graph.get_state(thread("fork")).interrupts
    assert again == question
    answers = []
    for thread_id in ("fork", "t"):
        graph.invoke(Command(resume={question.id: "yes"}), thread(thread_id), durability="sync")
        answers.append((ran.taken(), told(graph.get_state(thread(thread_id)))))
    assert answers[0] == answers[1]
    assert "b" not in answers[0][0]
    assert "s1" not in answers[0][0]


def test_a_fork_can_be_edited_and_goes_its_own_way(stage: Stage, saver: PgAgentSaver) -> None:
    ran = Ran()
    graph = line(ran, saver)
    graph.invoke({"log": ["in"]}, thread(), durability="sync")
    before = graph.get_state(thread())
    (after_a,) = (s for s in graph.get_state_history(thread()) if s.next == ("b",))
    forked = stage.client.fork_session("t", after_a.config["configurable"]["checkpoint_id"])
    graph.update_state(thread(forked.thread_id), {"log": ["edited"]})
    graph.invoke(None, thread(forked.thread_id), durability="sync")
    assert graph.get_state(thread(forked.thread_id)).values["log"] == [
        "in", "a1", "edited", "b3", "c4",
    ]  # fmt: skip
    assert graph.get_state(thread()) == before


def test_a_fork_of_what_is_not_stored_is_refused(stage: Stage, saver: PgAgentSaver) -> None:
    line(Ran(), saver).invoke({"log": ["in"]}, thread(), durability="sync")
    with pytest.raises(NotFound, match="no such checkpoint"):
        stage.client.fork_session("t", "nothing")


# --- replays of subgraphs


def addresses(root: StateSnapshot, inner: list[str]) -> list[RunnableConfig]:
    """The configs that name checkpoints of the subgraph that a paused thread is in."""
    (task,) = root.tasks
    assert isinstance(task.state, StateSnapshot)
    named = task.state.config["configurable"]
    ns = named["checkpoint_ns"]
    assert set(named["checkpoint_map"]) == {"", ns}
    return [
        thread(
            checkpoint_ns=ns,
            checkpoint_id=id_,
            checkpoint_map={**named["checkpoint_map"], ns: id_},
        )
        for id_ in inner
    ]


def nested(ran: Ran, saver: Saver, *, keeps: bool) -> Graph:
    """As ``with_subgraph``, with the subgraph as a node: only so can its checkpoints be named."""
    inner = StateGraph(State)
    inner.add_node("s1", ran.node("s1")).add_node("s2", ran.asking("s2"))
    inner.add_node("s3", ran.node("s3"))
    inner.add_edge(START, "s1").add_edge("s1", "s2").add_edge("s2", "s3")
    graph = StateGraph(State)
    graph.add_node("a", ran.node("a"))
    graph.add_node("sub", inner.compile(checkpointer=True if keeps else None))
    graph.add_node("z", ran.node("z"))
    graph.add_edge(START, "a").add_edge("a", "sub").add_edge("sub", "z")
    return graph.compile(checkpointer=saver)


def said(chunk: Any) -> Any:
    """A chunk of a stream, without ids."""
    path, values = chunk
    values = dict(values)
    if "__interrupt__" in values:
        values["__interrupt__"] = [i.value for i in values["__interrupt__"]]
    return [part.partition(":")[0] for part in path], values


def state_of(root: StateSnapshot) -> Any:
    return told(root), [
        told(task.state) if isinstance(task.state, StateSnapshot) else None for task in root.tasks
    ]


def replays(saver: Saver, *, keeps: bool) -> list[Any]:
    """Replays from each checkpoint of a paused subgraph, then answers: all that is seen of it."""
    seen: list[Any] = []
    ran = Ran()
    graph = nested(ran, saver, keeps=keeps)

    def play(given: Any, config: RunnableConfig) -> None:
        options = {"stream_mode": "values", "subgraphs": True, "durability": "sync"}
        seen.append([said(chunk) for chunk in graph.stream(given, config, **options)])
        seen.append(ran.taken())
        seen.append(state_of(graph.get_state(thread(), subgraphs=True)))

    play({"log": ["in"]}, thread())
    root = graph.get_state(thread(), subgraphs=True)
    (task,) = root.tasks
    ns = task.state.config["configurable"]["checkpoint_ns"]  # type: ignore[union-attr]
    inner = [
        t.config["configurable"]["checkpoint_id"] for t in saver.list(thread(checkpoint_ns=ns))
    ]
    assert len(inner) == 3
    for config in addresses(root, inner):
        play(None, config)
        play(Command(resume="yes"), thread())
    seen.append([told(s) for s in graph.get_state_history(thread())])
    return seen


async def replays_with_await(saver: Saver, *, keeps: bool) -> list[Any]:
    """As ``replays``, with await."""
    seen: list[Any] = []
    ran = Ran()
    graph = nested(ran, saver, keeps=keeps)

    async def play(given: Any, config: RunnableConfig) -> None:
        options = {"stream_mode": "values", "subgraphs": True, "durability": "sync"}
        seen.append([said(chunk) async for chunk in graph.astream(given, config, **options)])
        seen.append(ran.taken())
        seen.append(state_of(await graph.aget_state(thread(), subgraphs=True)))

    await play({"log": ["in"]}, thread())
    root = await graph.aget_state(thread(), subgraphs=True)
    (task,) = root.tasks
    ns = task.state.config["configurable"]["checkpoint_ns"]  # type: ignore[union-attr]
    listed = [t async for t in saver.alist(thread(checkpoint_ns=ns))]
    for config in addresses(root, [t.config["configurable"]["checkpoint_id"] for t in listed]):
        await play(None, config)
        await play(Command(resume="yes"), thread())
    seen.append([told(s) async for s in graph.aget_state_history(thread())])
    return seen


@pytest.mark.parametrize("keeps", [False, True])
def test_a_replay_from_inside_a_subgraph_is_that_of_memory_step_by_step(
    saver: PgAgentSaver, keeps: bool
) -> None:
    assert replays(saver, keeps=keeps) == replays(InMemorySaver(), keeps=keeps)


@pytest.mark.parametrize("keeps", [False, True])
async def test_a_replay_with_await_is_that_of_memory_too(
    async_saver: AsyncPgAgentSaver, keeps: bool
) -> None:
    ours = await replays_with_await(async_saver, keeps=keeps)
    assert ours == replays(InMemorySaver(), keeps=keeps)
    assert ours == await replays_with_await(InMemorySaver(), keeps=keeps)


def test_a_subgraph_with_a_namespace_a_call_begins_anew_and_one_that_keeps_its_state_goes_on(
    saver: PgAgentSaver,
) -> None:
    """LangGraph's own: the fork that a replay begins is another call, in another namespace."""
    for keeps, again in ((False, ["s1", "s2"]), (True, ["s2"])):
        saver.delete_thread("t")
        seen = replays(saver, keeps=keeps)
        assert seen[4] == again
