"""Tool calls that take effect once, whatever becomes of the process that makes them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import psycopg
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import InjectedState, ToolNode, ToolRuntime
from langgraph.types import RetryPolicy, Send, interrupt
from typing_extensions import TypedDict

from pgagent import (
    IdempotencyConflict,
    PgAgentSaver,
    Receipt,
    ToolBusy,
    ToolInDoubt,
    Worker,
    durable_tool,
    idempotency_key,
)
from support.crashing import CrashingSaver, Point
from support.family import Fault, Graph, Saver
from support.processes import DIED, die, in_process, until
from support.stage import Build, Stage, thread

VECTORS = json.loads((Path(__file__).parent / "data" / "idempotency_keys.json").read_text())
INPUT: dict[str, Any] = {"messages": []}


class Chat(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def asking_for(*calls: tuple[str, dict[str, Any]]) -> Callable[[Chat], Any]:
    """A model that makes these calls once a turn, under the same ids each time."""

    def model(state: Chat) -> Any:
        if state["messages"] and isinstance(state["messages"][-1], ToolMessage):
            return {"messages": [AIMessage("done")]}
        tool_calls = [
            {"name": name, "args": args, "id": f"call-{n}"} for n, (name, args) in enumerate(calls)
        ]
        return {"messages": [AIMessage("", tool_calls=tool_calls)]}

    return model


def agent(
    saver: Saver, model: Callable[[Chat], Any], *tools: BaseTool, shape: str = "ToolNode"
) -> Graph:
    node = ToolNode(list(tools))
    graph = StateGraph(Chat).add_node("model", model).add_edge(START, "model")

    def route(state: Chat) -> Any:
        calls = state["messages"][-1].tool_calls
        if shape == "Send":
            return [Send("tools", [call]) for call in calls] or END
        return "tools" if calls else END

    inner = StateGraph(Chat).add_node("node", node).add_edge(START, "node").compile()
    graph.add_node("tools", inner if shape == "subgraph" else node)
    graph.add_conditional_edges("model", route, ["tools", END]).add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


def paying(stage: Stage, in_doubt: Any, shape: str) -> Build:
    """Pays A and B. The process dies, once, when B is paid and A's receipt is stored."""

    def pay(to: str, *, idempotency_key: str) -> str:
        """Pay somebody."""
        stage.journal.note("paid", to=to, key=idempotency_key)
        if to == "B" and not stage.journal.count("died"):
            until(lambda: receipts(stage))
            stage.journal.note("died")
            die()
        return f"paid {to}"

    durable = durable_tool(pay, in_doubt=in_doubt)
    calls = [("pay", {"to": to}) for to in "AB"]

    def node(state: Chat) -> Any:
        return {"messages": [HumanMessage(durable(to=to)) for to in "AB"]}

    def build(stage: Stage, saver: Saver) -> Graph:
        if shape == "node":
            return (
                StateGraph(Chat)
                .add_node("pays", node)
                .add_edge(START, "pays")
                .compile(checkpointer=saver)
            )
        return agent(saver, asking_for(*calls), tool(durable), shape=shape)

    return build


def receipts(stage: Stage) -> int:
    """How many tool calls have succeeded; asked from within a worker."""
    with psycopg.connect(stage.dsn) as conn:
        (count,) = conn.execute(
            "select count(*) from pgagent.tool_calls where status = 'SUCCEEDED'"
        ).fetchone() or (0,)
    return int(count)


def paid(stage: Stage) -> dict[str, list[str]]:
    """The keys under which each was paid."""
    by_name = sorted((note["to"], note["key"]) for note in stage.journal.notes("paid"))
    return {to: [key for _, key in keys] for to, keys in itertools.groupby(by_name, lambda p: p[0])}


def run_to_the_end(stage: Stage, build: Build, job: Any) -> str:
    for _ in range(6):
        stage.deliver(build)
        stage.let_leases_run_out()
        if stage.job(job).completed_at:
            break
    return stage.status(job)


SHAPES = ["ToolNode", "Send", "subgraph", "node"]


# --- a death between effect and receipt


@pytest.mark.parametrize("shape", SHAPES)
def test_what_has_a_receipt_is_not_done_again_and_what_is_in_doubt_has_the_same_key(
    stage: Stage, shape: str
) -> None:
    job = stage.enqueue(payload=INPUT)
    assert run_to_the_end(stage, paying(stage, "retry", shape), job) == "COMPLETED"
    assert stage.journal.count("died") == 1
    keys = paid(stage)
    assert len(keys["A"]) == 1
    assert len(keys["B"]) == 2
    assert len(set(keys["B"])) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_look_up_finds_is_not_done_again(stage: Stage, shape: str) -> None:
    def look_up(key: str) -> Receipt | None:
        known = [note for note in stage.journal.notes("paid") if note["key"] == key]
        return Receipt(f"found {known[0]['to']}") if known else None

    build = paying(stage, look_up, shape)
    job = stage.enqueue(payload=INPUT)
    assert run_to_the_end(stage, build, job) == "COMPLETED"
    assert {to: len(keys) for to, keys in paid(stage).items()} == {"A": 1, "B": 1}
    said = [message.content for message in stage.state(build).values["messages"]]
    assert "paid A" in said
    assert "found B" in said


def test_what_a_look_up_does_not_find_is_done(stage: Stage) -> None:
    job = stage.enqueue(payload=INPUT)
    build = paying(stage, lambda key: None, "ToolNode")
    assert run_to_the_end(stage, build, job) == "COMPLETED"
    assert {to: len(keys) for to, keys in paid(stage).items()} == {"A": 1, "B": 2}


@pytest.mark.parametrize("shape", SHAPES)
def test_without_a_policy_a_call_in_doubt_fails_the_job_and_is_not_done_again(
    stage: Stage, shape: str
) -> None:
    job = stage.enqueue(payload=INPUT, max_attempts=1)
    assert run_to_the_end(stage, paying(stage, "raise", shape), job) == "FAILED"
    assert stage.job(job).error["type"] == "ToolInDoubt"
    assert {to: len(keys) for to, keys in paid(stage).items()} == {"A": 1, "B": 1}


def test_a_receipt_without_the_tasks_writes_is_answered_with(stage: Stage) -> None:
    def pay(to: str) -> tuple[str, int]:
        """Pay somebody."""
        stage.journal.note("paid", to=to, key="")
        return (f"paid {to}", 1)

    durable = durable_tool(pay)

    def build(stage: Stage, saver: Saver) -> Graph:
        def pays(state: Chat) -> Any:
            return {"messages": [HumanMessage(json.dumps(durable("A")))]}

        graph = StateGraph(Chat).add_node("pays", pays).add_edge(START, "pays")
        return graph.compile(checkpointer=saver)

    def dying() -> None:
        saver = CrashingSaver(stage.dsn, stage.journal, Point("put_writes", 2, "before"))
        Worker(build(stage, saver)).run(once=True)

    job = stage.enqueue(payload=INPUT)
    assert in_process(dying) == DIED
    assert receipts(stage) == 1
    stage.let_leases_run_out()
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert len(paid(stage)["A"]) == 1
    assert stage.state(build).values["messages"][-1].content == '["paid A", 1]'


# --- which call is which


def test_a_call_id_that_a_later_turn_uses_again_is_another_call(stage: Stage) -> None:
    @tool
    @durable_tool
    def pay(to: str) -> str:
        """Pay somebody."""
        stage.journal.note("paid", to=to, key="")
        return f"paid {to}"

    with PgAgentSaver(stage.dsn) as saver:
        graph = agent(saver, asking_for(("pay", {"to": "A"})), pay)
        for _ in range(2):
            graph.invoke({"messages": [HumanMessage("go on")]}, thread(), durability="sync")
    assert len(paid(stage)["A"]) == 2


def test_another_thread_makes_other_calls(stage: Stage) -> None:
    keys = []

    @durable_tool
    def pay(*, idempotency_key: str) -> None:
        keys.append(idempotency_key)

    with PgAgentSaver(stage.dsn) as saver:
        graph = one_node(saver, pay)
        for name in ("one", "another"):
            graph.invoke(INPUT, thread(name), durability="sync")
    assert len(set(keys)) == 2


def one_node(saver: Saver, act: Callable[[], Any], **options: Any) -> Graph:
    def node(state: Chat) -> Any:
        act()
        return {"messages": [HumanMessage("done")]}

    graph = StateGraph(Chat).add_node("node", node, **options).add_edge(START, "node")
    return graph.compile(checkpointer=saver)


def test_the_key_is_that_of_thread_namespace_tool_and_call(stage: Stage) -> None:
    seen: dict[str, Any] = {}

    @tool
    @durable_tool(name="payment")
    def pay(to: str, runtime: ToolRuntime, *, idempotency_key: str) -> str:
        """Pay somebody."""
        seen.update(key=idempotency_key, config=runtime.config["configurable"])
        return to

    with PgAgentSaver(stage.dsn) as saver:
        graph = agent(saver, asking_for(("pay", {"to": "A"})), pay)
        graph.invoke(INPUT, thread(), durability="sync")
    namespace = seen["config"]["checkpoint_ns"]
    assert namespace.startswith("tools:")
    assert seen["key"] == idempotency_key("tool", "t", namespace, "payment", "call:call-0")


def test_a_node_that_makes_several_calls_makes_the_same_ones_when_it_is_tried_again(
    stage: Stage,
) -> None:
    did: list[int] = []
    fails = [True]

    @durable_tool
    def pay(amount: int) -> int:
        did.append(amount)
        return amount

    def act() -> None:
        assert [pay(1), pay(1), pay(2)] == [1, 1, 2]
        if fails:
            fails.clear()
            raise Fault

    policy = RetryPolicy(initial_interval=0.001, retry_on=Fault)
    with PgAgentSaver(stage.dsn) as saver:
        graph = one_node(saver, act, retry_policy=policy)
        graph.invoke(INPUT, thread(), durability="sync")
    assert did == [1, 1, 2]


def test_calls_from_several_threads_of_a_node_are_told_apart_by_their_key(stage: Stage) -> None:
    did: list[int] = []
    fails = [True]

    @durable_tool
    def pay(amount: int) -> int:
        did.append(amount)
        return amount

    def act() -> None:
        with ContextThreadPoolExecutor() as pool:
            amounts = pool.map(lambda n: pay(n, key=str(n)), range(5))
            assert list(amounts) == list(range(5))
        if fails:
            fails.clear()
            raise Fault

    policy = RetryPolicy(initial_interval=0.001, retry_on=Fault)
    with PgAgentSaver(stage.dsn) as saver:
        graph = one_node(saver, act, retry_policy=policy)
        graph.invoke(INPUT, thread(), durability="sync")
    assert sorted(did) == list(range(5))


def test_two_calls_under_one_key_at_once_are_refused(stage: Stage) -> None:
    refused = []

    @durable_tool
    def pay(again: bool) -> None:
        if again:
            try:
                pay(again, key="same")
            except ToolBusy as error:
                refused.append(error.sqlstate)

    with PgAgentSaver(stage.dsn) as saver:
        one_node(saver, lambda: pay(True, key="same")).invoke(INPUT, thread(), durability="sync")
    assert refused == ["PA005"]


def test_other_arguments_under_a_key_are_refused_and_nothing_is_done(stage: Stage) -> None:
    did: list[int] = []
    amounts = itertools.count(1)

    @durable_tool
    def pay(amount: int) -> None:
        did.append(amount)

    def act() -> None:
        pay(next(amounts))
        raise Fault

    policy = RetryPolicy(initial_interval=0.001, retry_on=Fault)
    with PgAgentSaver(stage.dsn) as saver:
        graph = one_node(saver, act, retry_policy=policy)
        with pytest.raises(IdempotencyConflict):
            graph.invoke(INPUT, thread(), durability="sync")
    assert did == [1]


# --- errors and questions


def test_a_call_that_raised_is_in_doubt_and_done_again_only_by_policy(stage: Stage) -> None:
    did: list[str] = []

    def pay(policy: str) -> None:
        did.append(policy)
        if did.count(policy) == 1:
            raise Fault

    for policy, error in (("raise", ToolInDoubt), ("retry", None)):
        durable: Any = durable_tool(pay, in_doubt=policy)
        retries = RetryPolicy(initial_interval=0.001, retry_on=Fault)
        with PgAgentSaver(stage.dsn) as saver:
            graph = one_node(
                saver, lambda durable=durable, policy=policy: durable(policy), retry_policy=retries
            )
            if error:
                with pytest.raises(error):
                    graph.invoke(INPUT, thread(policy), durability="sync")
            else:
                graph.invoke(INPUT, thread(policy), durability="sync")
    assert did == ["raise", "retry", "retry"]


def test_a_tool_may_ask_a_person_and_takes_effect_once_answered(stage: Stage) -> None:
    def build(stage: Stage, saver: Saver) -> Graph:
        @tool
        @durable_tool
        def pay(to: str) -> str:
            """Pay somebody."""
            answer = interrupt(f"pay {to}?")
            stage.journal.note("paid", to=to, key="")
            return f"{answer}, paid {to}"

        return agent(saver, asking_for(("pay", {"to": "A"})), pay)

    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    (question,) = stage.job(job).waiting_for.items()
    assert question[1] == "pay A?"
    assert paid(stage) == {}
    stage.client.resume_job(job, {question[0]: "yes"})
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert len(paid(stage)["A"]) == 1
    assert "yes, paid A" in [m.content for m in stage.state(build).values["messages"]]


def losing_its_thread(stage: Stage, shape: str) -> Build:
    """Waits at a gate, then makes a call; with all that could hide an error from the run."""

    @tool
    @durable_tool
    def pay(to: str) -> str:
        """Pay somebody."""
        stage.journal.note("paid", to=to, key="")
        return to

    def eaten(error: Exception) -> str:
        stage.journal.note("eaten")
        return "an error, but what of it"

    def node(state: Chat) -> Any:
        stage.journal.note("tried")
        if shape == "node":
            stage.at("gate")
            pay.func("A")  # type: ignore[attr-defined]
        return {"messages": []}

    def build(stage: Stage, saver: Saver) -> Graph:
        @tool
        def wait_and_pay(to: str) -> Any:
            """Wait, then pay somebody."""
            stage.journal.note("tried")
            stage.at("gate")
            call = {"name": "pay", "args": {"to": to}, "id": "1", "type": "tool_call"}
            return pay.invoke(call)

        tools: Any = ToolNode([wait_and_pay], handle_tool_errors=eaten)
        policy = RetryPolicy(initial_interval=0.001, retry_on=Exception)
        return (
            StateGraph(Chat)
            .add_node("model", asking_for(("wait_and_pay", {"to": "A"})))
            .add_node("tools", tools if shape == "ToolNode" else node, retry_policy=policy)
            .add_edge(START, "model")
            .add_edge("model", "tools")
            .compile(checkpointer=saver)
        )

    return build


@pytest.mark.parametrize("shape", ["ToolNode", "node"])
def test_a_call_of_a_run_that_lost_its_thread_ends_the_run(stage: Stage, shape: str) -> None:
    """A ToolNode would make a message of the refusal, a retry policy would try again."""
    build = losing_its_thread(stage, shape)
    job = stage.enqueue(payload=INPUT)
    with stage.worker(build) as worker:
        stage.wait_at("gate")
        stage.client.cancel_job(job, force=True)
        stage.open("gate")
        assert worker.wait() == 0
    assert paid(stage) == {}
    assert stage.journal.count("eaten") == 0
    assert stage.journal.count("tried") == 1
    assert any("not ours any more" in note["text"] for note in stage.journal.notes("log"))


# --- LangGraph and LangChain around it


def test_the_model_sees_neither_the_key_nor_what_is_injected() -> None:
    @tool
    @durable_tool
    def pay(
        to: str,
        amount: int = 1,
        *,
        runtime: ToolRuntime,
        state: Annotated[dict[str, Any], InjectedState],
        idempotency_key: str,
    ) -> str:
        """Pay somebody."""
        return to

    schema: Any = pay.tool_call_schema
    assert schema.model_json_schema()["properties"].keys() == {"to", "amount"}
    assert schema.model_json_schema()["required"] == ["to"]
    assert pay.description == "Pay somebody."


def test_what_is_injected_is_handed_in_and_is_not_part_of_the_fingerprint(stage: Stage) -> None:
    counted: list[int] = []
    fails = [True]

    @tool
    @durable_tool
    def count(
        by: int, runtime: ToolRuntime, state: Annotated[dict[str, Any], InjectedState]
    ) -> str:
        """Count."""
        counted.append(len(state["messages"]) + len(runtime.state["messages"]))
        return str(by)

    @tool
    def fail() -> str:
        """Fail once, when the counting is over."""
        until(lambda: receipts(stage))
        if fails:
            fails.clear()
            raise Fault
        return "fine"

    policy = RetryPolicy(initial_interval=0.001, retry_on=Fault)
    with PgAgentSaver(stage.dsn) as saver:
        graph = (
            StateGraph(Chat)
            .add_node("model", asking_for(("count", {"by": 1}), ("fail", {})))
            .add_node("tools", ToolNode([count, fail]), retry_policy=policy)
            .add_edge(START, "model")
            .add_edge("model", "tools")
            .compile(checkpointer=saver)
        )
        result = graph.invoke(INPUT, thread(), durability="sync")
    assert counted == [2]
    assert [message.content for message in result["messages"]] == ["", "1", "fine"]
    assert stage.conn.execute("select args from pgagent.tool_calls").fetchall() == [({"by": 1},)]


def test_a_parameter_of_the_tool_may_be_called_key(stage: Stage) -> None:
    @tool
    @durable_tool
    def put(key: str, value: str = "x") -> str:
        """Put something somewhere."""
        return f"{key}={value}"

    with PgAgentSaver(stage.dsn) as saver:
        graph = agent(saver, asking_for(("put", {"key": "k"})), put)
        result = graph.invoke(INPUT, thread(), durability="sync")
    assert result["messages"][1].content == "k=x"


def test_a_call_waits_until_the_checkpoint_of_its_task_is_stored(stage: Stage) -> None:
    """LangGraph begins the first step of a function before the input is stored; after a death the
    call would be made again under another key."""

    class SlowSaver(PgAgentSaver):
        def put(self, *args: Any) -> Any:
            until(lambda: stage.journal.count("asked"))
            stage.journal.note("stored")
            return super().put(*args)

    @durable_tool
    def pay() -> None:
        stage.journal.note("paid")

    with SlowSaver(stage.dsn) as saver:

        @entrypoint(checkpointer=saver)
        def workflow(given: int) -> int:
            stage.journal.note("asked")
            pay()
            return given

        stage.client.create_session("t")
        workflow.invoke(1, thread(), durability="sync")
    kinds = [note["what"] for note in stage.journal.notes()]
    assert kinds.index("stored") < kinds.index("paid")


def test_a_call_outside_a_saver_of_ours_is_refused() -> None:
    @durable_tool
    def pay() -> None:
        pass

    with pytest.raises(TypeError, match="PgAgentSaver"):
        one_node(InMemorySaver(), pay).invoke(INPUT, thread())
    with pytest.raises(RuntimeError):
        pay()


def test_a_coroutine_function_is_refused() -> None:
    async def pay() -> None:
        pass

    with pytest.raises(TypeError, match="coroutine"):
        durable_tool(pay)


# --- keys


def test_there_are_a_hundred_vectors() -> None:
    assert len({json.dumps(vector) for vector in VECTORS}) >= 100


def test_python_derives_the_keys_of_the_vectors() -> None:
    for domain, fields, key in VECTORS:
        assert idempotency_key(domain, *fields) == key


def test_sql_derives_the_keys_of_the_vectors(stage: Stage) -> None:
    for domain, fields, key in VECTORS:
        assert stage.conn.execute(
            "select pgagent.idempotency_key(%s, variadic %s::text[])", (domain, fields)
        ).fetchone() == (key,)


def test_no_two_vectors_share_a_key() -> None:
    assert len({key for _, _, key in VECTORS}) == len(VECTORS)
