"""What LangGraph has, under workers that are killed in the middle: nothing finished runs again."""

from __future__ import annotations

import operator
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, StreamMode, interrupt
from typing_extensions import TypedDict

from pgagent.calls import Job
from support.family import Graph, Saver, State
from support.processes import until
from support.stage import Stage
from support.steps import chain, gate, step

pytestmark = pytest.mark.usefixtures("kind")


@dataclass(frozen=True)
class Shape:
    """A graph that waits at the gate b, and what it does.

    ``cut``: the node that the kill cuts short, and runs again. ``rest``: the others, which run
    once; ``twice``: one that asks, and runs again when it is answered. ``stored``: how many tasks
    of the step must be stored before the kill.
    """

    build: Callable[[Stage, Saver], Graph]
    ends_in: Any
    cut: str
    rest: Sequence[str]
    twice: Sequence[str] = ()
    answer: Any = None
    stored: int = 0
    payload: Any = field(default_factory=lambda: {"log": ["in"]})


def fan_out(stage: Stage, saver: Saver) -> Graph:
    def work(n: int) -> Callable[..., Any]:
        return step(stage, f"w{n}", gate if n == 1 else None)

    graph = StateGraph(State).add_node("plan", step(stage, "plan"))
    for n in range(3):
        graph.add_node(f"w{n}", work(n)).add_edge(f"w{n}", "fin")
    graph.add_node("fin", step(stage, "fin")).add_edge(START, "plan")
    graph.add_conditional_edges(
        "plan", lambda state: [Send(f"w{n}", {"log": []}) for n in range(3)], ["w0", "w1", "w2"]
    )
    return graph.compile(checkpointer=saver)


def asking_subgraph(stage: Stage, saver: Saver) -> Graph:
    """A subgraph asks, and is killed after the answer."""

    class Inner(TypedDict):
        log: Annotated[list[str], operator.add]

    def ask(state: Inner) -> Any:
        stage.journal.ran("ask")
        return {"log": [interrupt("pay?")]}

    inner = StateGraph(Inner).add_node("s1", step(stage, "s1")).add_node("ask", ask)
    inner.add_node("s3", step(stage, "s3", gate))
    inner.add_edge(START, "s1").add_edge("s1", "ask").add_edge("ask", "s3")
    graph = StateGraph(State).add_node("sub", inner.compile())
    graph.add_node("fin", step(stage, "fin")).add_edge(START, "sub").add_edge("sub", "fin")
    return graph.compile(checkpointer=saver)


def going_to(stage: Stage, saver: Saver) -> Graph:
    """Each node says which is next."""

    def sent_on(name: str, goto: str) -> Callable[..., Any]:
        act = step(stage, name, gate if name == "b" else None)
        if stage.is_async:

            async def arun(state: Any) -> Command[str]:
                return Command(update=await act(state), goto=goto)

            return arun

        return lambda state: Command(update=act(state), goto=goto)

    graph = StateGraph(State)
    for name, goto in (("a", "b"), ("b", "c")):
        graph.add_node(name, sent_on(name, goto), destinations=(goto,))
    graph.add_node("c", step(stage, "c")).add_edge(START, "a")
    return graph.compile(checkpointer=saver)


def functional(stage: Stage, saver: Saver) -> Graph:
    if stage.is_async:

        @task
        async def double(n: int) -> int:
            stage.journal.ran(f"double {n}")
            if n == 2:
                await stage.aat("b")
            return 2 * n

        @entrypoint(checkpointer=saver)
        async def workflow(start: int) -> list[int]:
            first = await double(start)
            second = await double(first)
            return [first, second, await double(second)]

        return workflow

    @task
    def double_now(n: int) -> int:
        stage.journal.ran(f"double {n}")
        if n == 2:
            stage.at("b")
        return 2 * n

    @entrypoint(checkpointer=saver)
    def workflow_now(start: int) -> list[int]:
        first = double_now(start).result()
        second = double_now(first).result()
        return [first, second, double_now(second).result()]

    return workflow_now


class Model(GenericFakeChatModel):
    """Says what it is given, and takes tools."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


def prebuilt_agent(stage: Stage, saver: Saver) -> Graph:
    """langchain's agent where it is installed, else LangGraph's own; its tool waits."""

    @tool
    def pay(amount: int) -> str:
        """Pay an amount."""
        stage.journal.ran(f"pay {amount}")
        if amount == 2:
            stage.at("b")
        return f"paid {amount}"

    calls = [{"name": "pay", "args": {"amount": n}, "id": f"c{n}"} for n in (1, 2)]
    turns = [AIMessage("", tool_calls=[calls[0]]), AIMessage("", tool_calls=[calls[1]])]

    def said() -> Any:
        # A model that was asked before the kill is not asked again.
        for turn in [*turns, AIMessage("done")][stage.journal.count("asked") :]:
            stage.journal.note("asked")
            yield turn

    model = Model(messages=said())
    try:
        from langchain.agents import create_agent
    except ImportError:
        from langgraph.prebuilt import create_react_agent

        return create_react_agent(model, [pay], checkpointer=saver)  # type: ignore[no-any-return]
    return create_agent(model, [pay], checkpointer=saver)  # type: ignore[no-any-return]


def writing(stage: Stage, saver: Saver) -> Graph:
    def write(stage: Stage, state: Any) -> None:
        get_stream_writer()({"chunk": "a"})
        GenericFakeChatModel(messages=iter([AIMessage("hello there")])).invoke("hi")

    return chain(stage, saver, a=write, b=gate, c=None)


LOG = ["in", "a", "b", "c"]
SHAPES = {
    "Send": Shape(
        fan_out, ["in", "plan", "w0", "w1", "w2", "fin"],
        cut="w1", rest=["plan", "w0", "w2", "fin"], stored=2,
    ),
    "a subgraph that asks": Shape(
        asking_subgraph, ["in", "in", "s1", "yes", "s3", "fin"],
        cut="s3", rest=["s1", "fin"], twice=["ask"], answer="yes",
    ),
    "Command(goto)": Shape(going_to, LOG, cut="b", rest=["a", "c"]),
    "functional": Shape(
        functional, [2, 4, 8], cut="double 2", rest=["double 1", "double 4"], stored=1, payload=1
    ),
    "an agent": Shape(
        prebuilt_agent, "done", cut="pay 2", rest=["pay 1"], payload={"messages": [["user", "pay"]]}
    ),
}  # fmt: skip


def killed_in_b(stage: Stage, shape: Shape, **options: Any) -> None:
    """A job whose worker is killed in the middle, and which another one ends."""
    job = stage.enqueue(payload=shape.payload)
    if shape.answer is not None:
        stage.deliver(shape.build)
        questions = stage.job(job).waiting_for
        assert questions
        stage.client.resume_job(job, dict.fromkeys(questions, shape.answer))
    with stage.worker(shape.build, **options) as worker:
        stage.wait_at("b")
        until(lambda: stored_tasks(stage) >= shape.stored)
        worker.send(signal.SIGKILL)
        worker.wait()
    stage.let_leases_run_out()
    stage.open("b")
    assert stage.deliver(shape.build, **options) == 0
    assert stage.status(job) == "COMPLETED", stage.job(job).error
    ran = Counter([*shape.rest, *2 * (shape.cut, *shape.twice)])
    assert Counter(stage.journal.nodes()) == ran


def stored_tasks(stage: Stage) -> int:
    """How many tasks of the step under way are stored."""
    (count,) = stage.conn.execute(
        "select count(distinct w.task_id) from pgagent.checkpoint_writes as w"
        " join pgagent.agent_sessions as s on (s.thread_id, s.head_checkpoint_id)"
        " = (w.thread_id, w.checkpoint_id)"
    ).fetchone() or (0,)
    return int(count)


@pytest.mark.parametrize("name", SHAPES)
def test_a_worker_that_is_killed_is_followed_and_no_finished_node_runs_again(
    stage: Stage, name: str
) -> None:
    shape = SHAPES[name]
    killed_in_b(stage, shape)
    values = stage.state(shape.build).values
    if name == "an agent":
        values = values["messages"][-1].content
        assert stage.journal.count("asked") == 3
    elif name != "functional":
        values = values["log"]
    assert values == shape.ends_in


MODES: list[StreamMode] = [
    "values",
    "updates",
    "messages",
    "custom",
    "checkpoints",
    "tasks",
    "debug",
]
STREAMED: dict[str, list[Callable[[Any], bool]]] = {
    "values": [lambda chunk: chunk["log"] == LOG[:2], lambda chunk: chunk["log"] == LOG],
    "updates": [lambda chunk: chunk == {"a": {"log": ["a"]}}, lambda chunk: "c" in chunk],
    "custom": [lambda chunk: chunk == {"chunk": "a"}],
    "checkpoints": [lambda chunk: chunk["values"]["log"] == LOG],
    "tasks": [lambda chunk: chunk["name"] == "a", lambda chunk: chunk["name"] == "c"],
    "debug": [lambda chunk: chunk["type"] == "checkpoint"],
    "messages": [lambda chunk: chunk[0].content == "hello"],
}


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_is_streamed_is_followed_too(stage: Stage, mode: StreamMode) -> None:
    def note(job: Job, mode: str, chunk: Any) -> None:
        for number, is_it in enumerate(STREAMED[mode]):
            if is_it(chunk):
                stage.journal.note("streamed", mode=mode, what_of_it=number)

    shape = Shape(writing, LOG, cut="b", rest=["a", "c"])
    killed_in_b(stage, shape, stream_mode=mode, on_chunk=note)
    assert stage.state(writing).values["log"] == LOG
    streamed = {note["what_of_it"] for note in stage.journal.notes("streamed")}
    assert streamed == set(range(len(STREAMED[mode])))
    if mode in ("custom", "messages"):
        assert stage.journal.count("streamed") == 1, "a finished node does not stream again"
