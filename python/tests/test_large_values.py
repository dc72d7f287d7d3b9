"""Large values: stored once however many steps carry them, with a warning."""

from __future__ import annotations

import operator
import random
import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, PgAgentSaver
from support.stage import Stage, thread

MB = 1_000_000


class State(TypedDict):
    n: Annotated[int, operator.add]
    load: Any


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def letters(size: int) -> str:
    """Text that does not compress to less than three quarters."""
    return random.Random(size).randbytes(size // 2).hex()


def carrying(saver: Any, value: Any, steps: int) -> Any:
    """A graph whose first step makes a value that the others carry on."""
    graph = StateGraph(State)
    graph.add_node("make", lambda state: {"n": 1, "load": value})
    graph.add_node("carry", lambda state: {"n": 1})
    graph.add_edge(START, "make").add_edge("make", "carry")
    graph.add_conditional_edges("carry", lambda s: END if s["n"] >= steps else "carry")
    return graph.compile(checkpointer=saver)


def stored(stage: Stage) -> int:
    """Bytes of all serialised values."""
    row = stage.conn.execute(
        "select sum(bytes) from ("
        " select sum(length(blob)) as bytes from pgagent.checkpoint_blobs union all"
        " select sum(length(blob)) from pgagent.checkpoint_items union all"
        " select sum(length(blob)) from pgagent.checkpoint_writes union all"
        " select sum(length(inline_values) + length(checkpoint::text) + length(metadata::text))"
        " from pgagent.checkpoints) as t"
    ).fetchone()
    assert row is not None
    return int(row[0])


VALUES: dict[str, Any] = {
    "a long string": letters(MB),
    "bytes": letters(MB).encode(),
    "a list": [letters(MB // 2), letters(MB // 3), letters(MB // 6)],
    "a dict": {"document": letters(MB)},
    "a message": HumanMessage(letters(MB)),
}


@pytest.mark.filterwarnings("ignore:channel")
@pytest.mark.parametrize("what", VALUES)
def test_fifty_steps_carry_a_value_that_is_stored_once(
    stage: Stage, saver: PgAgentSaver, what: str
) -> None:
    config = thread() | {"recursion_limit": 100}
    graph = carrying(saver, VALUES[what], 50)
    graph.invoke({"n": 0}, config, durability="sync")
    assert len(list(graph.get_state_history(config))) >= 51
    assert graph.get_state(config).values["load"] == VALUES[what]
    # As the write of its task, and as the value.
    assert 2 * MB < stored(stage) < 2.2 * MB


@pytest.mark.filterwarnings("ignore:channel")
def test_strings_of_many_steps_cost_what_they_are(stage: Stage, saver: PgAgentSaver) -> None:
    """Shorter ones as well: from 65 bytes on, none is repeated in each checkpoint."""
    text = letters(20_000)
    graph = carrying(saver, text, 50)
    graph.invoke({"n": 0}, thread() | {"recursion_limit": 100}, durability="sync")
    assert stored(stage) < 2 * len(text) + 50 * 1500


def told(caught: list[warnings.WarningMessage]) -> list[str]:
    return [str(w.message) for w in caught if "bytes" in str(w.message)]


@pytest.mark.parametrize(
    ("value", "times"),
    [
        ("x" * (MB + 1), 1),
        ("x" * (MB - 10), 0),
        (["x" * (MB + 1), "y"], 1),
        ({"a": "x" * (MB + 1)}, 1),
        (["x" * 1000] * 900, 0),
    ],
    ids=range(5),
)
def test_a_large_value_is_told_once_a_channel(saver: PgAgentSaver, value: Any, times: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for thread_id in ("t1", "t2"):
            carrying(saver, value, 3).invoke({"n": 0}, thread(thread_id), durability="sync")
    assert len(told(caught)) == times
    assert all("channel 'load'" in text for text in told(caught))


def test_the_limit_is_an_option(stage: Stage) -> None:
    for limit, times in ((100, 1), (None, 0)):
        with (
            PgAgentSaver.from_conn_string(stage.dsn, large_value=limit) as saver,
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            value = "x" * (2 * MB if limit is None else 200)
            carrying(saver, value, 3).invoke({"n": 0}, thread(str(limit)), durability="sync")
        assert len(told(caught)) == times


def test_an_item_that_is_added_to_a_list_of_items_is_told(saver: PgAgentSaver) -> None:
    class Log(TypedDict):
        log: Annotated[list[str], operator.add]

    graph = StateGraph(Log).add_node("a", lambda state: {"log": ["x" * 900]}).add_edge(START, "a")
    built = graph.compile(checkpointer=saver)
    for _ in range(6):
        built.invoke({"log": []}, thread())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        built.update_state(thread(), {"log": ["y" * (MB + 1)]}, as_node="a")
        built.update_state(thread(), {"log": ["z" * (MB + 1)]}, as_node="a")
    assert len(told(caught)) == 1


async def test_the_async_saver_tells_alike(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, large_value=100, max_size=2) as saver:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            await carrying(saver, "x" * 200, 3).ainvoke({"n": 0}, thread(), durability="sync")
        assert len(told(caught)) == 1
