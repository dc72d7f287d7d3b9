"""Checkpoints of formats before 4: what a step was sent lies in the writes of the parent."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Annotated, Any

import psycopg
import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from psycopg.rows import dict_row
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, PgAgentSaver
from support.stage import Stage, thread

THREADS = ("t1", "t2")
NAMESPACES = ("", "sub")


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=2) as saver:
        yield saver


@pytest.fixture
def stock(stage: Stage) -> Iterator[PostgresSaver]:
    info = stage.conn.info
    with psycopg.connect(
        host=info.host, port=info.port, user=info.user, dbname=info.dbname,
        autocommit=True, row_factory=dict_row,
    ) as connection:  # fmt: skip
        saver = PostgresSaver(connection)
        saver.setup()
        yield saver


def fill(saver: BaseCheckpointSaver[Any], *, version: Any = 3) -> dict[str, list[Any]]:
    """In each thread and namespace a parent, and two checkpoints that it sent tasks to."""
    made: dict[str, list[Any]] = {}
    for thread_id in THREADS:
        for ns in NAMESPACES:
            checkpoint = empty_checkpoint()
            checkpoint.update(v=version, id=f"{ns}-1")
            checkpoint["channel_versions"] = {"log": "1", "other": "1"}
            checkpoint["channel_values"] = {"log": ["a"], "other": 1}
            config = saver.put(
                thread(thread_id, checkpoint_ns=ns), checkpoint, {"step": 0}, {"log": "1"}
            )
            for task, n in (("b", 0), ("a", 1)):
                sends = [("__pregel_tasks", Send("work", f"{thread_id}{ns}{n}{m}")) for m in (0, 1)]
                saver.put_writes(config, [("log", ["x"]), *sends], task, task_path=f"~{n}")
            made[f"{thread_id}{ns}"] = [config]
            for n in (2, 3):
                child = empty_checkpoint()
                child.update(v=version, id=f"{ns}-{n}")
                child["channel_versions"] = {"log": f"{n}", "other": "1"} if n == 2 else {}
                child["channel_values"] = {"log": ["a", "x", "x"]} if n == 2 else {}
                new = {"log": "2"} if n == 2 else {}
                made[f"{thread_id}{ns}"].append(saver.put(config, child, {"step": n}, new))
    return made


def told(found: CheckpointTuple | None) -> Any:
    assert found is not None
    checkpoint = dict(found.checkpoint)
    if set(checkpoint["channel_versions"]) == {"__pregel_tasks"}:  # the first version, made up
        checkpoint["channel_versions"] = {"__pregel_tasks": "first"}
    for name in ("ts", "channel_values"):
        checkpoint.pop(name)
    configs = [dict(c["configurable"]) for c in (found.config, found.parent_config) if c]
    values = {k: v for k, v in found.checkpoint["channel_values"].items() if k != "other"}
    return (
        configs,
        checkpoint,
        values,
        found.metadata,
        sorted(map(repr, found.pending_writes or [])),
    )


def test_every_way_to_read_gives_what_the_parent_sent(
    saver: PgAgentSaver, stock: PostgresSaver
) -> None:
    ours, theirs = fill(saver), fill(stock)
    assert ours == theirs
    by_id = {}
    for thread_id in THREADS:
        for ns in NAMESPACES:
            for config in ours[f"{thread_id}{ns}"]:
                found = told(saver.get_tuple(config))
                assert found == told(stock.get_tuple(config))
                by_id[thread_id, ns, config["configurable"]["checkpoint_id"]] = found
            latest = told(saver.get_tuple(thread(thread_id, checkpoint_ns=ns)))
            assert latest == by_id[thread_id, ns, f"{ns}-3"]
            sent = [Send("work", f"{thread_id}{ns}{n}{m}") for n in (0, 1) for m in (0, 1)]
            assert latest[2]["__pregel_tasks"] == sent
            assert by_id[thread_id, ns, f"{ns}-2"][1]["channel_versions"]["__pregel_tasks"] == "2"
        listed = {told(t)[0][0]["checkpoint_id"]: told(t) for t in saver.list(thread(thread_id))}
        assert listed == {id: found for (t, _, id), found in by_id.items() if t == thread_id}
    everything = [told(t) for t in saver.list(None)]
    assert sorted(map(repr, everything)) == sorted(map(repr, by_id.values()))


async def test_the_async_saver_gives_the_same(stage: Stage, saver: PgAgentSaver) -> None:
    made = fill(saver)
    async with AsyncPgAgentSaver(stage.dsn, max_size=1) as other:
        for configs in made.values():
            for config in configs:
                assert told(await other.aget_tuple(config)) == told(saver.get_tuple(config))
        everything = [told(t) async for t in other.alist(None)]
    assert everything == [told(t) for t in saver.list(None)]


@pytest.mark.parametrize("version", [4, 5, "3", None])
def test_checkpoints_of_today_are_sent_nothing(saver: PgAgentSaver, version: Any) -> None:
    for configs in fill(saver, version=version).values():
        for config in configs:
            assert "__pregel_tasks" not in told(saver.get_tuple(config))[2]
    assert all("__pregel_tasks" not in told(found)[2] for found in saver.list(None))


class State(TypedDict):
    log: Annotated[list[str], operator.add]


def test_a_run_of_an_old_format_goes_on_with_what_it_was_sent(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = StateGraph(State)
    graph.add_node("ask", lambda state: {"log": ["ask"]})
    graph.add_node("work", lambda state: {"log": [state]})
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", lambda state: [Send("work", n) for n in "ab"], ["work"])
    built = graph.compile(checkpointer=saver, interrupt_before=["work"])
    built.invoke({"log": []}, thread())
    stage.conn.execute(
        "update pgagent.checkpoints set checkpoint = jsonb_set(checkpoint, '{v}', '3') "
        "#- '{channel_versions,__pregel_tasks}'"
    )
    stage.conn.execute("delete from pgagent.checkpoint_blobs where channel = '__pregel_tasks'")
    assert built.get_state(thread()).next == ("work", "work")
    assert built.invoke(None, thread())["log"] == ["ask", "a", "b"]
