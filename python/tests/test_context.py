"""Contexts that fit the model: summaries of threads, and of the messages of a graph's state."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph import START, MessagesState, StateGraph

from pgagent import AsyncClient, Client, PgAgentSaver
from pgagent.context import acompact, compact, compaction, split
from support.stage import Stage

WORDS = {"u": "user", "a": "assistant"}


@pytest.fixture
def client(stage: Stage) -> Client:
    return stage.client


def talk(client: Client, thread_id: str, count: int = 60) -> None:
    client.create_session(thread_id)
    client.append_messages(
        thread_id, [{"role": "user", "content": n, "token_count": 10} for n in range(count)]
    )


def shown(client: Client, thread_id: str) -> list[Any]:
    return [row["content"] for row in client.context_window(thread_id)]


# A history is told in steps: someone speaks, the model calls, or a call that is open is answered.
STEPS = st.lists(st.sampled_from(["u", "a", "call", "two calls", "answer", "answer late"]))


def history(steps: list[str]) -> list[tuple[str, str | None]]:
    """Roles, and the ids of calls."""
    said: list[tuple[str, str | None]] = []
    numbers = itertools.count()
    waiting: list[str] = []
    for step in steps:
        match step:
            case "u" | "a":
                said.append((WORDS[step], None))
            case "call" | "two calls":
                said.append(("assistant", None))
                for _ in range(1 + (step == "two calls")):
                    waiting.append(str(next(numbers)))
                    said.append(("tool_call", waiting[-1]))
            case _ if waiting:
                said.append(("tool_result", waiting.pop(0 if step == "answer" else -1)))
    return said


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS, keep=st.integers(0, 5))
def test_no_call_is_parted_from_its_result(stage: Stage, steps: list[str], keep: int) -> None:
    said = history(["u", *steps])
    with stage.conn.transaction(force_rollback=True):
        client = stage.client
        client.create_session("t")
        client.append_messages(
            "t",
            [
                {"role": role, "content": "x"} | ({"tool_call_id": call} if call else {})
                for role, call in said
            ],
        )
        compacted = compact(client, "t", lambda messages: "so far", keep=keep)
        window = client.context_window("t")
        rest = [(row["role"], row.get("tool_call_id")) for row in window[int(compacted) :]]
    assert said[len(said) - len(rest) :] == rest
    assert len(rest) >= min(keep, len(said))
    calls = {call for role, call in rest if role == "tool_call"}
    assert {call for role, call in rest if role == "tool_result"} <= calls
    spoken = [n for n, (role, _) in enumerate(said) if role == "assistant"]
    for n, (role, call) in enumerate(said):
        if role == "tool_call" and ("tool_result", call) not in said and spoken[-1] < n:
            assert call in calls, "it is under way"


@settings(max_examples=300, deadline=None)
@given(steps=STEPS, keep=st.integers(0, 5))
def test_no_message_of_a_state_is_parted_from_its_results(steps: list[str], keep: int) -> None:
    messages: list[AnyMessage] = []
    for role, call in history(steps):
        match role:
            case "user":
                messages.append(HumanMessage("x"))
            case "assistant":
                messages.append(AIMessage("x"))
            case "tool_call":
                messages[-1].tool_calls.append({"name": "f", "args": {}, "id": call})  # type: ignore[union-attr]
            case _:
                messages.append(ToolMessage("x", tool_call_id=str(call)))
    standing, old, kept = split([SystemMessage("you are"), *messages], keep)
    assert [*standing, *old, *kept] == [SystemMessage("you are"), *messages]
    assert standing == [SystemMessage("you are")]
    assert len(kept) >= min(keep, len(messages))
    calls = {c["id"] for m in kept if isinstance(m, AIMessage) for c in m.tool_calls}
    given_up = {
        m.tool_call_id
        for n, m in enumerate(messages)
        if isinstance(m, ToolMessage) and not _is_answer_to_the_last(messages, n)
    }
    assert {m.tool_call_id for m in kept if isinstance(m, ToolMessage)} <= calls | given_up


def _is_answer_to_the_last(messages: list[AnyMessage], place: int) -> bool:
    """Whether a result answers a call that the model had not gone on from."""
    answered = messages[place]
    assert isinstance(answered, ToolMessage)
    for message in reversed(messages[:place]):
        if isinstance(message, AIMessage):
            return answered.tool_call_id in {call["id"] for call in message.tool_calls}
    return False


def test_a_thread_is_compacted_again_and_again(client: Client) -> None:
    talk(client, "t")
    asked: list[list[Any]] = []

    def summarize(messages: list[dict[str, Any]]) -> str:
        asked.append([message["content"] for message in messages])
        return f"summary {len(asked)}"

    assert compact(client, "t", summarize)
    assert shown(client, "t") == ["summary 1", *range(40, 60)]
    assert not compact(client, "t", summarize)
    client.append_messages("t", [{"role": "user", "content": n} for n in range(60, 70)])
    assert compact(client, "t", summarize, keep=5)
    assert shown(client, "t") == ["summary 2", *range(65, 70)]
    assert asked == [list(range(40)), ["summary 1", *range(40, 65)]]


def test_a_summary_that_fails_changes_nothing(client: Client) -> None:
    talk(client, "t")

    def summarize(messages: list[dict[str, Any]]) -> str:
        raise RuntimeError("the model is away")

    with pytest.raises(RuntimeError):
        compact(client, "t", summarize)
    assert shown(client, "t") == list(range(60))


def test_of_two_at_once_one_is_recorded(worker_dsn: str) -> None:
    with Client(worker_dsn) as client, ThreadPoolExecutor() as pool:
        talk(client, "t")
        both = Barrier(2)

        def run(name: str) -> bool:
            def summarize(messages: list[dict[str, Any]]) -> str:
                both.wait(10)
                return name

            return compact(client, "t", summarize)

        assert sorted(pool.map(run, ["a", "b"])) == [False, True]
        assert len(shown(client, "t")) == 21


async def test_the_async_client_compacts_alike(worker_dsn: str) -> None:
    async def summarize(messages: list[dict[str, Any]]) -> str:
        return "so far"

    async with AsyncClient(worker_dsn) as client:
        await client.create_session("t")
        await client.append_messages("t", [{"role": "user", "content": n} for n in range(30)])
        assert not await client.needs_compaction("t", 1_000)
        assert await client.needs_compaction("t", 1_000, upcoming=800)
        assert await acompact(client, "t", summarize)
        window = await client.context_window("t")
    assert [row["content"] for row in window] == ["so far", *range(10, 30)]


def test_a_graph_goes_on_past_what_its_model_holds(worker_dsn: str) -> None:
    size = 100

    def count(messages: Any) -> int:
        return 3 * len(messages)

    def model(state: MessagesState) -> dict[str, Any]:
        if count(state["messages"]) > size:
            raise RuntimeError("context_length_exceeded")
        return {"messages": [AIMessage(f"answer {len(state['messages'])}")]}

    summaries = itertools.count(1)
    builder = StateGraph(MessagesState)
    builder.add_node(
        "compact",
        compaction(
            lambda messages: f"summary {next(summaries)}", size, keep=20, count_tokens=count
        ),
    )
    builder.add_node("model", model)
    builder.add_edge(START, "compact")
    builder.add_edge("compact", "model")
    config: Any = {"configurable": {"thread_id": "t"}}
    with PgAgentSaver.from_conn_string(worker_dsn) as saver:
        graph = builder.compile(checkpointer=saver)
        lengths = []
        for turn in range(40):
            state = graph.invoke({"messages": [HumanMessage(f"question {turn}")]}, config)
            lengths.append(len(state["messages"]))
        assert max(lengths) <= 24
        assert state["messages"][0] == SystemMessage(
            state["messages"][0].content, name="summary", id=state["messages"][0].id
        )
        assert next(summaries) > 5
        assert state["messages"][-2].content == "question 39"
        whole = {
            message.content
            for found in graph.get_state_history(config)
            for message in found.values["messages"]
        }
        assert {f"question {turn}" for turn in range(40)} <= whole, "older checkpoints keep it"
