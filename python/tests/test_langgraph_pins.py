"""What LangGraph does that our rules lean on: an upgrade that changes one turns a test red here.

Each test shows LangGraph's own behaviour, without us, and says which rule is there because of it.
A red test is a question and not a fault: does the rule still hold, and is it still needed?
"""

from __future__ import annotations

import enum
import itertools
import operator
import time
from collections.abc import Callable, Sequence
from threading import Event, Timer
from typing import Annotated, Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph._internal import _serde
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.event_hooks import register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.errors import GraphBubbleUp, UnknownInterruptError
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.types import Command, RetryPolicy, StateUpdate, interrupt
from typing_extensions import TypedDict

import pgagent

Graph = Pregel[Any, Any, Any, Any]


class State(TypedDict):
    log: Annotated[list[str], operator.add]


class Chat(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class Paint(enum.Enum):
    RED = "red"


class Painted(TypedDict):
    paint: Paint


class Refused(Exception):
    """A write that the store does not take."""


class RefusingSaver(InMemorySaver):
    """Refuses calls from the n-th of a method on; all of them, or that one alone."""

    def __init__(
        self,
        method: str = "",
        n: int = 0,
        *,
        error: BaseException | None = None,
        alone: bool = False,
    ) -> None:
        super().__init__()
        self.method, self.n, self.alone = method, n, alone
        self.error = error or Refused()
        self.calls = 0
        self.lost = False
        self.seen: list[RunnableConfig] = []

    def check(self, method: str, config: RunnableConfig) -> None:
        self.seen.append(config)
        self.calls += method == self.method
        due = method == self.method and self.calls == self.n
        if due or (self.lost and not self.alone):
            self.lost = True
            raise self.error

    def put(self, config: RunnableConfig, *rest: Any) -> RunnableConfig:
        self.check("put", config)
        return super().put(config, *rest)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.check("put_writes", config)
        super().put_writes(config, writes, task_id, task_path)


def thread(**more: Any) -> RunnableConfig:
    return {"configurable": {"thread_id": "t", **more}}


def chain(saver: Any, names: str, ran: list[str] | None = None, **breakpoints: Any) -> Graph:
    """A graph of one node after the other, each of which says that it ran."""
    graph = StateGraph(State)
    for name in names:

        def node(state: State, name: str = name) -> Any:
            if ran is not None:
                ran.append(name)
            return {"log": [name]}

        graph.add_node(name, node)
    graph.add_edge(START, names[0])
    for one, next_one in itertools.pairwise(names):
        graph.add_edge(one, next_one)
    return graph.compile(checkpointer=saver, **breakpoints)


def two_questions(saver: Any) -> Graph:
    def ask(state: State) -> Any:
        return {"log": [f"{interrupt('first?')}/{interrupt('second?')}"]}

    graph = StateGraph(State).add_node("ask", ask).add_edge(START, "ask")
    return graph.compile(checkpointer=saver)


def asked(graph: Graph) -> list[Any]:
    return [question.id for question in graph.get_state(thread()).interrupts]


def test_next_is_empty_while_tasks_are_left() -> None:
    """Our rule looks at ``state.tasks``, never at ``state.next``: here the run is not over."""
    saver = RefusingSaver("put", 3)
    graph = chain(saver, "abc")
    with pytest.raises(Refused):
        graph.invoke({"log": []}, thread(), durability="sync")
    saver.lost = False
    saver.put_writes(
        graph.get_state(thread()).config,
        [("log", ["a"]), ("branch:to:b", None)],
        graph.get_state(thread()).tasks[0].id,
    )
    state = graph.get_state(thread())
    assert state.next == ()
    assert [task.name for task in state.tasks] == ["a"]


def test_a_bare_answer_is_given_to_the_next_question_too() -> None:
    """Our answers go by interrupt id, always."""
    graph = two_questions(InMemorySaver())
    graph.invoke({"log": []}, thread())
    graph.invoke(Command(resume="A"), thread())
    assert len(asked(graph)) == 1
    assert graph.invoke(None, thread())["log"] == ["A/A"]


def test_an_answer_by_id_that_is_sent_twice_is_given_to_the_next_question() -> None:
    """Our runs set ``__pregel_strict_resume``."""
    graph = two_questions(InMemorySaver())
    graph.invoke({"log": []}, thread())
    (first,) = asked(graph)
    graph.invoke(Command(resume={first: "A"}), thread())
    assert graph.invoke(Command(resume={first: "A"}), thread())["log"] == ["A/A"]


def test_strictly_an_answer_that_is_sent_twice_is_refused() -> None:
    """Why ``__pregel_strict_resume`` is enough, and why 1.2.20 is the oldest LangGraph we take."""
    strict = thread(__pregel_strict_resume=True)
    graph = two_questions(InMemorySaver())
    graph.invoke({"log": []}, strict)
    (first,) = asked(graph)
    graph.invoke(Command(resume={first: "A"}), strict)
    (second,) = asked(graph)
    assert second != first
    with pytest.raises(UnknownInterruptError) as refused:
        graph.invoke(Command(resume={first: "A"}), strict)
    assert refused.value.reason == "not_pending"
    assert graph.invoke(Command(resume={second: "B"}), strict)["log"] == ["A/B"]


def test_one_task_of_tool_calls_may_give_an_answer_to_another_call() -> None:
    """A decision about a tool call is looked up by the call's key, never taken from interrupt()."""
    got: dict[str, Any] = {}
    turn = {"A": Event(), "B": Event()}

    @tool
    def pay(to: str) -> str:
        """Pay."""
        assert turn[to].wait(5)
        got[to] = interrupt(f"pay {to}?")
        return to

    calls = [{"name": "pay", "args": {"to": to}, "id": f"call-{to}"} for to in "AB"]
    graph = (
        StateGraph(Chat)
        .add_node("model", lambda state: {"messages": [AIMessage("", tool_calls=calls)]})
        .add_node("tools", ToolNode([pay]))
        .add_edge(START, "model")
        .add_edge("model", "tools")
        .compile(checkpointer=InMemorySaver())
    )
    turn["A"].set()
    turn["B"].set()
    graph.invoke({"messages": []}, thread())
    (question,) = graph.get_state(thread()).interrupts
    asker = "A" if question.value == "pay A?" else "B"
    other = "B" if asker == "A" else "A"
    turn[asker].clear()  # it comes late this time
    Timer(0.2, turn[asker].set).start()
    graph.invoke(Command(resume={question.id: f"yes, {asker}"}), thread())
    assert got[other] == f"yes, {asker}"


def test_a_route_that_raises_once_ends_the_run_without_a_word() -> None:
    """We forget what failed tasks have stored before we go on: discard_partial_outputs."""
    fails = [True]

    def route(state: State) -> str:
        if fails.pop() if fails else False:
            raise Refused
        return "b"

    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": ["a"]})
        .add_node("b", lambda state: {"log": ["b"]})
        .add_edge(START, "a")
        .add_conditional_edges("a", route, ["b"])
        .compile(checkpointer=InMemorySaver())
    )
    with pytest.raises(Refused):
        graph.invoke({"log": []}, thread())
    assert graph.invoke(None, thread())["log"] == ["a"]
    assert graph.get_state(thread()).tasks == ()


def test_a_stateful_subgraph_is_skipped_when_it_had_not_begun() -> None:
    """We clear the resuming flag of such a subgraph in get_tuple: _mend_resuming."""
    sub = chain(True, "s")

    def call(state: State) -> Any:
        return {"log": [f"{len(sub.invoke({'log': []})['log'])} in memory"]}

    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": ["a"]})
        .add_node("call", call)
        .add_edge(START, "a")
        .add_edge("a", "call")
        .compile(checkpointer=InMemorySaver(), interrupt_before=["call"])
    )
    graph.invoke({"log": []}, thread())
    graph.invoke(None, thread())
    graph.invoke({"log": []}, thread())
    assert graph.invoke(None, thread())["log"][-1] == "1 in memory"  # and not 2


def test_an_input_with_the_run_id_of_the_latest_checkpoint_is_ignored() -> None:
    """Nothing of ours is called run_id, in metadata or elsewhere."""
    graph = chain(InMemorySaver(), "a")
    config: RunnableConfig = {**thread(), "metadata": {"run_id": "r"}}
    graph.invoke({"log": ["one"]}, config)
    assert graph.invoke({"log": ["two"]}, config)["log"] == ["one", "a"]


@pytest.mark.parametrize(("durability", "after"), [("sync", 0), ("async", 6)])
def test_only_sync_durability_stops_a_run_whose_writes_are_refused(
    durability: Any, after: int
) -> None:
    """Our runs force durability="sync"."""
    saver = RefusingSaver("put", 3)
    ran: list[bool] = []
    graph = StateGraph(State)
    for n in range(8):

        def node(state: State) -> Any:
            ran.append(saver.lost)
            time.sleep(0.01)
            return {"log": ["x"]}

        graph.add_node(str(n), node).add_edge(START if n == 0 else str(n - 1), str(n))
    with pytest.raises(Refused):
        graph.compile(checkpointer=saver).invoke({"log": []}, thread(), durability=durability)
    assert sum(ran) == after


def test_the_first_step_begins_before_the_input_is_stored() -> None:
    """A durable tool waits until the checkpoint of its task is stored, or its key would change."""
    stored = Event()
    begun_before = []

    class SlowSaver(InMemorySaver):
        def put(self, *args: Any) -> RunnableConfig:
            time.sleep(0.1)
            config = super().put(*args)
            stored.set()
            return config

    @task
    def first() -> None:
        begun_before.append(not stored.is_set())

    @entrypoint(checkpointer=SlowSaver())
    def workflow(given: int) -> int:
        first().result()
        return given

    workflow.invoke(1, thread(), durability="sync")
    assert begun_before == [True]


def test_a_command_that_is_sent_twice_updates_twice() -> None:
    """The answers are sent again after a death, and nothing else."""
    saver = RefusingSaver("put", 4)
    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": [interrupt("?")]})
        .add_edge(START, "a")
        .compile(checkpointer=saver)
    )
    graph.invoke({"log": ["in"]}, thread(), durability="sync")
    (question,) = asked(graph)
    command = Command(update={"log": ["update"]}, resume={question: "yes"})
    saver.n = saver.calls + 1
    with pytest.raises(Refused):
        graph.invoke(command, thread(), durability="sync")
    saver.lost, saver.n = False, 0
    result = graph.invoke(command, thread(), durability="sync")
    assert result["log"] == ["in", "update", "update", "yes"]


def test_the_second_step_of_a_bulk_update_loses_the_configurable() -> None:
    """A context variable holds the token as well, and put returns it in its config."""
    saver = RefusingSaver()
    graph = chain(saver, "ab")
    config = thread(__pgagent_token=7)
    updates = [[StateUpdate({"log": [text]}, "a")] for text in ("one", "two")]
    graph.bulk_update_state(config, updates)
    tokens = [seen["configurable"].get("__pgagent_token") for seen in saver.seen]
    assert tokens[0] == 7
    assert None in tokens


def test_a_hidden_key_reaches_every_write_and_is_not_stored() -> None:
    """The fencing token travels so: __pgagent_token in configurable."""
    saver = RefusingSaver()
    sub = chain(None, "s")
    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": sub.invoke({"log": []})["log"]})
        .add_node("sub", sub)
        .add_edge(START, "a")
        .add_edge("a", "sub")
        .compile(checkpointer=saver)
    )
    graph.invoke({"log": []}, thread(__pgagent_token=7), durability="sync")
    namespaces = {seen["configurable"]["checkpoint_ns"].split(":")[0] for seen in saver.seen}
    assert namespaces == {"", "a", "sub"}
    assert {seen["configurable"].get("__pgagent_token") for seen in saver.seen} == {7}
    assert "__pgagent_token" not in str(list(saver.list(thread())))
    assert "__pgagent_token" not in str(graph.get_state(thread()))


def test_a_breakpoint_returns_as_a_finished_run_does_and_is_passed_by_going_on() -> None:
    """We find out by ourselves whether a thread stands at a breakpoint: _breakpoint."""
    graph = chain(InMemorySaver(), "ab", interrupt_before=["b"])
    assert graph.invoke({"log": []}, thread()) == {"log": ["a"]}
    assert graph.get_state(thread()).interrupts == ()
    assert graph.invoke(None, thread()) == {"log": ["a", "b"]}


def failing_tool(error: Callable[[], BaseException], calls: list[int]) -> Graph:
    @tool
    def act() -> str:
        """Act."""
        calls.append(1)
        raise error()

    call = {"name": "act", "args": {}, "id": "1"}
    policy = RetryPolicy(initial_interval=0.001, max_attempts=3, retry_on=Exception)
    return (
        StateGraph(Chat)
        .add_node("model", lambda state: {"messages": [AIMessage("", tool_calls=[call])]})
        .add_node("tools", ToolNode([act], handle_tool_errors=True), retry_policy=policy)
        .add_edge(START, "model")
        .add_edge("model", "tools")
        .compile(checkpointer=InMemorySaver())
    )


def test_a_tool_node_turns_a_plain_error_into_a_message() -> None:
    """What stops a run inside a node is a GraphBubbleUp: LeaseLost."""
    calls: list[int] = []
    result = failing_tool(Refused, calls).invoke({"messages": []}, thread())
    assert result["messages"][-1].status == "error"


def test_a_bubble_up_passes_tool_nodes_and_retry_policies() -> None:
    """What stops a run inside a node is a GraphBubbleUp: LeaseLost."""

    class Lost(Refused, GraphBubbleUp):
        pass

    calls: list[int] = []
    with pytest.raises(Lost):
        failing_tool(Lost, calls).invoke({"messages": []}, thread())
    assert len(calls) == 1


def test_a_bubble_up_from_a_saver_is_dropped() -> None:
    """What the saver raises is no GraphBubbleUp: StaleToken."""
    saver = RefusingSaver("put", 1, error=GraphBubbleUp())
    result = chain(saver, "a").invoke({"log": []}, thread(), durability="exit")
    assert result["log"] == ["a"]
    assert saver.get_tuple(thread()) is None


def test_an_update_while_the_input_is_taken_in_discards_the_input() -> None:
    """Why a person should wait for the first node before changing a state."""
    saver = RefusingSaver("put", 2)
    graph = chain(saver, "a")
    with pytest.raises(Refused):
        graph.invoke({"log": ["in"]}, thread(), durability="sync")
    saver.lost, saver.n = False, 0
    assert [task.name for task in graph.get_state(thread()).tasks] == ["__start__"]
    graph.update_state(thread(), {"log": ["edit"]})
    assert graph.invoke(None, thread())["log"] == ["edit", "a"]


def test_clearing_the_tasks_keeps_what_finished_ones_wrote() -> None:
    """How on_leftovers="keep" keeps the results of an ended run."""
    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": ["a"]})
        .add_node("b", lambda state: {"log": [interrupt("?")]})
        .add_edge(START, "a")
        .add_edge(START, "b")
        .compile(checkpointer=InMemorySaver())
    )
    graph.invoke({"log": ["in"]}, thread())
    graph.update_state(thread(), None, as_node=END)
    state = graph.get_state(thread())
    assert state.values["log"] == ["in", "a"]
    assert state.tasks == ()


def test_what_a_finished_task_wrote_is_lost_when_new_input_comes() -> None:
    """Why on_leftovers="keep" clears the tasks first."""
    graph = (
        StateGraph(State)
        .add_node("a", lambda state: {"log": ["a"]})
        .add_node("b", lambda state: {"log": [interrupt("?")]})
        .add_edge(START, "a")
        .add_edge(START, "b")
        .compile(checkpointer=InMemorySaver())
    )
    graph.invoke({"log": ["in"]}, thread())
    graph.invoke({"log": ["again"]}, thread())
    assert graph.get_state(thread()).values["log"] == ["in", "again", "a"]


# --- what a saver may load


def test_a_graph_tells_its_savers_the_types_of_its_state() -> None:
    """Only in LangGraph's strict mode, which is turned on by the variable that saver/serde.py sets;
    and no types are forced on a saver that loads everything."""
    assert pgagent.PgAgentSaver
    assert vars(_serde)["STRICT_MSGPACK_ENABLED"] is True
    told: list[Any] = []

    class Told(InMemorySaver):
        def with_allowlist(self, extra_allowlist: Any) -> Any:
            told.append(extra_allowlist)
            return super().with_allowlist(extra_allowlist)

    saver = Told()
    graph = StateGraph(Painted).add_node("a", lambda state: {}).add_edge(START, "a")
    assert graph.compile(checkpointer=saver).checkpointer is saver
    assert (__name__, "Paint") in told[0]


def test_what_a_strict_serializer_refuses_comes_back_bare_and_is_told_as_an_event() -> None:
    """Without listening to the events, data would go on in place of the value."""
    events: list[Any] = []
    forget = register_serde_event_listener(events.append)
    serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    assert serde.loads_typed(serde.dumps_typed(Paint.RED)) == "red"
    method = ormsgpack.packb(["os", "path", "x", "exists"])
    assert serde.loads_typed(("msgpack", ormsgpack.packb(ormsgpack.Ext(3, method)))) == "x"
    forget()
    assert [event["kind"] for event in events] == ["msgpack_blocked", "msgpack_method_blocked"]
