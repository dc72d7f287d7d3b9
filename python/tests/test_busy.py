"""A new run on a thread whose run is live: it interrupts that, or takes its work back."""

from __future__ import annotations

import operator
import signal
from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict

from pgagent import IllegalTransition, PgAgentSaver
from pgagent.open_calls import INTERRUPTED, answers_to_open_calls
from support.family import Fault, Graph, Saver
from support.processes import Forked, until
from support.stage import Stage, thread


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    do: str


class Memory(TypedDict):
    log: Annotated[list[str], operator.add]
    memory: Annotated[list[str], operator.add]


def extend(all_: list[str], writes: list[list[str]]) -> list[str]:
    return [*all_, *(item for write in writes for item in write)]


class Delta(TypedDict, total=False):
    log: Annotated[list[str], DeltaChannel(extend)]
    do: str


def act(stage: Stage, state: Any) -> str:
    """What a run was told to do: wait at a gate, fail, ask a person, or nothing."""
    what = state.get("do", "")
    if what == "wait":
        stage.at("act")
    if what == "fail":
        raise Fault("told to")
    return interrupt("how?") if what == "ask" else "done"


def with_subgraphs(stage: Stage, saver: Saver) -> Graph:
    """A subgraph that remembers, one that is called anew each time and does what it is told, and a
    fan-out beside it."""
    remembering = StateGraph(Memory)
    remembering.add_node("note", lambda state: {"memory": ["seen"], "log": ["noted"]})
    remembering.add_edge(START, "note")

    called = StateGraph(State)
    called.add_node("before", lambda state: {"log": []})
    called.add_node("act", lambda state: {"log": [act(stage, state)]})
    called.add_edge(START, "before").add_edge("before", "act")

    graph = StateGraph(State)
    graph.add_node("a", lambda state: {"log": ["a"]})
    graph.add_node("remember", remembering.compile(checkpointer=True))
    graph.add_node("call", called.compile())
    graph.add_node("work", lambda n: {"log": [f"w{n}"]})
    graph.add_node("z", lambda state: {"log": ["z"]})
    graph.add_edge(START, "a").add_edge("a", "remember").add_edge("remember", "call")
    graph.add_conditional_edges("call", lambda state: [Send("work", n) for n in (1, 2)], ["work"])
    graph.add_edge("work", "z")
    return graph.compile(checkpointer=saver)


def with_delta_channel(stage: Stage, saver: Saver) -> Graph:
    graph = StateGraph(Delta)
    graph.add_node("a", lambda state: {"log": ["a"]})
    graph.add_node("act", lambda state: {"log": [act(stage, state)]})
    graph.add_node("beside", lambda state: {"log": ["beside"]})
    graph.add_edge(START, "a").add_edge("a", "act").add_edge("a", "beside")
    return graph.compile(checkpointer=saver)


Build = Callable[[Stage, Saver], Graph]
GRAPHS: list[Build] = [with_subgraphs, with_delta_channel]
FIRST = {"log": ["first"], "do": ""}
THIRD = {"log": ["third"], "do": ""}


def kill(worker: Forked) -> None:
    worker.send(signal.SIGKILL)
    worker.wait()


class Second:
    """The run that is rolled back, brought into one of the states that a live job can be in."""

    def __init__(self, stage: Stage, build: Build) -> None:
        self.stage = stage
        self.build = build
        self.worker: Forked | None = None

    def enqueue(self, do: str = "", **options: Any) -> UUID:
        return self.stage.enqueue(payload={"log": ["second"], "do": do}, **options)

    def never_claimed(self) -> UUID:
        return self.enqueue(delay=3600)

    def running(self) -> UUID:
        job = self.enqueue("wait")
        self.worker = self.stage.worker(self.build, lease=30.0)
        self.stage.wait_at("act")
        return job

    def asked_to_stop(self) -> UUID:
        job = self.running()
        self.stage.client.cancel_job(job, reason="enough", cancelled_by="ann")
        return job

    def dead(self) -> UUID:
        job = self.running()
        assert self.worker
        kill(self.worker)
        self.worker = None
        return job

    def reclaimed(self) -> UUID:
        job = self.dead()
        self.stage.let_leases_run_out()
        return job

    def to_be_retried(self) -> UUID:
        job = self.enqueue("fail", retry_base=3600, retry_cap=7200)
        self.stage.deliver(self.build)
        return job

    def paused(self) -> UUID:
        job = self.enqueue("ask")
        self.stage.deliver(self.build)
        return job

    def answered(self) -> UUID:
        job = self.paused()
        questions = self.stage.job(job).waiting_for
        assert questions
        self.stage.client.resume_job(job, dict.fromkeys(questions, "so"))
        return job

    def edited(self) -> UUID:
        """A person, and then a plain run, went on from where it is paused."""
        job = self.paused()
        graph = self.build(self.stage, PgAgentSaver(self.stage.conn))
        graph.update_state(thread(), {"log": ["edit"]}, as_node="a")
        graph.invoke({"log": ["plain"], "do": ""}, thread(), durability="sync")
        return job


STATES = {
    "never_claimed": "PENDING", "running": "IN_PROGRESS", "asked_to_stop": "IN_PROGRESS",
    "dead": "IN_PROGRESS", "reclaimed": "PENDING", "to_be_retried": "PENDING",
    "paused": "AWAITING_HUMAN", "answered": "PENDING", "edited": "AWAITING_HUMAN",
}  # fmt: skip


def rows(stage: Stage, thread_id: str = "t") -> list[Any]:
    """Everything that is stored of a thread's state, and where its head is."""
    return [
        stage.conn.execute(
            f"select {columns} from pgagent.{table} as t where thread_id = %s order by t",
            (thread_id,),
        ).fetchall()
        for table, columns in {
            "agent_sessions": "head_checkpoint_id", "checkpoints": "t", "checkpoint_blobs": "t",
            "checkpoint_items": "t", "checkpoint_writes": "t",
        }.items()
    ]  # fmt: skip


def heads(stage: Stage, thread_id: str = "t") -> dict[str, str]:
    """The newest checkpoint of each namespace."""
    return dict(
        stage.conn.execute(
            "select distinct on (checkpoint_ns) checkpoint_ns, checkpoint_id "
            "from pgagent.checkpoints where thread_id = %s order by checkpoint_ns, seq desc",
            (thread_id,),
        ).fetchall()
    )


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("build", GRAPHS)
def test_after_a_rollback_all_is_as_if_the_run_had_never_been(
    stage: Stage, build: Build, state: str
) -> None:
    stage.enqueue(payload=FIRST)
    stage.deliver(build)
    before, heads_before, state_before = rows(stage), heads(stage), stage.state(build)
    second = Second(stage, build)
    job = getattr(second, state)()
    assert stage.status(job) == STATES[state]

    third = stage.client.enqueue_job("t", THIRD, on_busy="rollback")

    assert third.status == "PENDING"
    assert rows(stage) == before
    assert heads(stage) == heads_before
    assert stage.state(build) == state_before
    old = stage.job(job)
    assert old.status == "CANCELLED"
    if state == "asked_to_stop":
        assert (old.cancelled_by, old.cancel_reason) == ("ann", "enough")
    else:
        assert old.cancel_reason == f"rolled back by job {third.job_id}"
    if second.worker is not None:
        stage.open("act")
        second.worker.wait()
        assert any("is not ours any more" in note["text"] for note in stage.journal.notes("log"))

    stage.enqueue("never", FIRST)
    stage.enqueue("never", THIRD)
    stage.deliver(build)
    assert stage.status(third.job_id) == "COMPLETED"
    assert stage.state(build).values == stage.state(build, "never").values
    for namespace in ("", "remember"):
        saver = PgAgentSaver(stage.conn)
        one, other = (
            saver.get_tuple(thread(thread_id, checkpoint_ns=namespace))
            for thread_id in ("t", "never")
        )
        assert (one is None) == (other is None)
        if one and other:
            values, others = one.checkpoint["channel_values"], other.checkpoint["channel_values"]
            assert values == others


def test_a_rollback_takes_back_what_became_of_an_earlier_runs_leftovers(stage: Stage) -> None:
    build = with_subgraphs
    first = stage.enqueue(payload={"log": ["first"], "do": "ask"})
    stage.deliver(build)
    stage.client.cancel_job(first)
    before, state_before = rows(stage), stage.state(build)
    assert state_before.tasks
    second = Second(stage, build).paused()

    stage.client.enqueue_job("t", THIRD, on_busy="rollback")

    assert stage.status(second) == "CANCELLED"
    assert rows(stage) == before
    assert stage.state(build) == state_before


def test_a_state_that_was_pruned_cannot_be_rolled_back_to(stage: Stage) -> None:
    build = with_subgraphs
    stage.enqueue(payload=FIRST)
    stage.deliver(build)
    job = Second(stage, build).paused()
    stage.client.prune_history("t", keep_last=1)
    before = rows(stage)

    with pytest.raises(IllegalTransition, match="pruned"):
        stage.client.enqueue_job("t", THIRD, on_busy="rollback")

    assert rows(stage) == before
    assert stage.status(job) == "AWAITING_HUMAN"
    assert stage.client.enqueue_job("t", THIRD, on_busy="interrupt").status == "PENDING"


def test_a_rollback_of_the_first_run_leaves_an_empty_thread(stage: Stage) -> None:
    Second(stage, with_subgraphs).paused()
    stage.client.enqueue_job("t", THIRD, on_busy="rollback")
    assert rows(stage) == [[(None,)], [], [], [], []]


# Interrupt


class Chat(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    heard: Annotated[list[list[str]], operator.add]


class Question(TypedDict):
    question: str


class Asked(Chat, total=False):
    question: str


def said(message: AnyMessage) -> str:
    return message.type


def refuse_open_calls(messages: list[AnyMessage]) -> None:
    """As chat models do."""
    open_calls: set[str | None] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            open_calls.discard(message.tool_call_id)
        elif open_calls:
            raise ValueError(f"tool calls without a result: {open_calls}")
        if isinstance(message, AIMessage):
            open_calls = {call["id"] for call in message.tool_calls}
    if open_calls:
        raise ValueError(f"tool calls without a result: {open_calls}")


def model(state: Any) -> Any:
    """Calls two tools when it is asked to, else says something."""
    refuse_open_calls(state["messages"])
    heard = [[said(message) for message in state["messages"]]]
    if state["messages"][-1].content != "work":
        return {"messages": [AIMessage("hello")], "heard": heard}
    calls = [{"name": "slow", "args": {}, "id": name} for name in ("c1", "c2")]
    return {"messages": [AIMessage("", tool_calls=calls)], "heard": heard}


def agent(stage: Stage, saver: Saver) -> Graph:
    """A model, and one task a tool call: the first ends, the second waits."""

    def tool(call: Any) -> Any:
        if call["id"] == "c2":
            stage.at("tool")
        return {"messages": [ToolMessage("done", tool_call_id=call["id"])]}

    def route(state: Any) -> Any:
        return [Send("tool", call) for call in state["messages"][-1].tool_calls] or END

    graph = StateGraph(Chat)
    graph.add_node("model", model).add_node("tool", tool)
    graph.add_edge(START, "model").add_edge("tool", "model")
    graph.add_conditional_edges("model", route, ["tool", END])
    return graph.compile(checkpointer=saver)


def agent_with_an_input_of_its_own(stage: Stage, saver: Saver) -> Graph:
    """Its input holds no messages: a node makes them."""

    def route(state: Any) -> Any:
        return "tool" if state["messages"][-1].tool_calls else END

    graph = StateGraph(Asked, input_schema=Question)
    graph.add_node("hear", lambda state: {"messages": [HumanMessage(state["question"])]})
    graph.add_node("model", model)
    graph.add_node("tool", lambda state: stage.at("tool"))
    graph.add_edge(START, "hear").add_edge("hear", "model").add_edge("tool", "model")
    graph.add_conditional_edges("model", route, ["tool", END])
    return graph.compile(checkpointer=saver)


def human(text: str, build: Build) -> dict[str, Any]:
    if build is agent:
        return {"messages": [{"role": "user", "content": text}]}
    return {"question": text}


def wait_at_tool(stage: Stage, build: Build) -> None:
    """Until one of the tools waits, and what the other has returned is stored."""
    stage.wait_at("tool")
    if build is agent:
        until(lambda: any(task.result for task in stage.state(build).tasks))


@pytest.mark.parametrize("is_alive", [True, False])
@pytest.mark.parametrize("build", [agent, agent_with_an_input_of_its_own])
def test_an_interrupted_run_keeps_its_work_and_the_next_is_valid_input_for_a_model(
    stage: Stage, build: Build, is_alive: bool
) -> None:
    old = stage.enqueue(payload=human("work", build))
    worker = stage.worker(build, lease=30.0)
    wait_at_tool(stage, build)
    if not is_alive:
        kill(worker)
    kept = rows(stage)

    new = stage.client.enqueue_job("t", human("stop", build), on_busy="interrupt")

    assert rows(stage) == kept
    assert stage.job(old).status == "CANCELLED"
    assert stage.job(old).cancel_reason == f"interrupted by job {new.job_id}"
    if is_alive:
        stage.open("tool")
        worker.wait()
        assert any("is not ours any more" in note["text"] for note in stage.journal.notes("log"))
    stage.deliver(build)
    assert stage.status(new.job_id) == "COMPLETED"
    messages = stage.state(build).values["messages"]
    results = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
    expected = {"c1": "done"} if build is agent else {"c1": INTERRUPTED}
    assert results == {**expected, "c2": INTERRUPTED}
    assert [said(message) for message in messages[-2:]] == ["human", "ai"]


def test_an_input_that_answers_the_open_calls_itself_is_left_alone(stage: Stage) -> None:
    stage.enqueue(payload=human("work", agent))
    worker = stage.worker(agent, lease=30.0)
    wait_at_tool(stage, agent)
    kill(worker)
    answer = {"role": "tool", "content": "by hand", "tool_call_id": "c2"}
    new = stage.client.enqueue_job(
        "t", {"messages": [answer, {"role": "user", "content": "x"}]}, on_busy="interrupt"
    )
    stage.deliver(agent)
    assert stage.status(new.job_id) == "COMPLETED"
    results = [m.content for m in stage.state(agent).values["messages"] if said(m) == "tool"]
    assert results == ["done", "by hand"]


def test_only_calls_at_the_end_of_a_conversation_are_open() -> None:
    call = AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": "1"}])
    assert [m.tool_call_id for m in answers_to_open_calls([HumanMessage("x"), call])] == ["1"]
    assert answers_to_open_calls([call, ToolMessage("y", tool_call_id="1")]) == []
    assert answers_to_open_calls([call, HumanMessage("x")]) == []
    assert answers_to_open_calls([]) == []
    assert answers_to_open_calls([replace_id(call, "2"), HumanMessage("x"), call])[0].name == "a"


def replace_id(message: AIMessage, id: str) -> AIMessage:
    return message.model_copy(update={"tool_calls": [{"name": "b", "args": {}, "id": id}]})
