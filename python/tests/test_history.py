"""History that is cut, copied and rebuilt: what is left reads as it did before."""

from __future__ import annotations

import operator
import tracemalloc
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from pgagent import (
    AsyncPgAgentSaver,
    BadArgument,
    HeadMoved,
    HistoryBroken,
    IdempotencyConflict,
    PgAgentSaver,
)
from support.family import Graph, State
from support.stage import Stage, thread


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def extended(log: list[str], writes: list[list[str]]) -> list[str]:
    return [*log, *(item for write in writes for item in write)]


class DeltaState(TypedDict):
    log: Annotated[list[str], DeltaChannel(extended, snapshot_frequency=7)]
    note: str


def delta_graph(saver: PgAgentSaver) -> Graph:
    graph = StateGraph(DeltaState)
    graph.add_node("a", lambda state: {"log": [f"{len(state['log'])}"], "note": "n"})
    return graph.add_edge(START, "a").compile(checkpointer=saver)


def told(saver: PgAgentSaver, thread_id: str = "t") -> list[Any]:
    return [
        (t.config, t.checkpoint, t.metadata, t.parent_config, t.pending_writes)
        for t in saver.list(thread(thread_id))
    ]


# --- delta channels


def test_the_history_of_a_delta_channel_is_that_of_the_walk_over_tuples(
    saver: PgAgentSaver,
) -> None:
    graph = delta_graph(saver)
    for n in range(12):
        graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
    middle = list(graph.get_state_history(thread()))[17].config
    graph.invoke({"log": ["branch"]}, middle, durability="sync")
    seeds = 0
    for found in list(saver.list(thread())):
        ours = saver.get_delta_channel_history(config=found.config, channels=["log", "note", "x"])
        theirs = BaseCheckpointSaver.get_delta_channel_history(
            saver, config=found.config, channels=["log", "note", "x"]
        )
        assert ours["log"] == theirs["log"]
        assert ours["note"].get("seed") == theirs["note"].get("seed")
        assert ours["x"] == {"writes": []}
        seeds += "seed" in ours["log"]
    assert seeds > 10


async def test_both_classes_give_the_same_history(stage: Stage, saver: PgAgentSaver) -> None:
    graph = delta_graph(saver)
    for n in range(5):
        graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
    async with AsyncPgAgentSaver(stage.dsn) as other:
        assert await other.aget_delta_channel_history(
            config=thread(), channels=["log"]
        ) == saver.get_delta_channel_history(config=thread(), channels=["log"])


def test_a_value_of_five_thousand_ancestors_is_rebuilt_from_any_of_them(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = delta_graph(saver)
    graph.invoke({"log": ["in"]}, thread(), durability="sync")
    stage.conn.execute(
        """
        with head as (
          select * from pgagent.checkpoints where thread_id = 't' order by seq desc limit 1
        ), copies as (
          insert into pgagent.checkpoints (
            thread_id, checkpoint_ns, checkpoint_id, seq, parent_checkpoint_id, checkpoint,
            metadata, created_at
          )
          select
            't', '', 'c' || n, h.seq + n, case n when 1 then h.checkpoint_id else 'c' || n - 1 end,
            h.checkpoint || jsonb_build_object('id', 'c' || n), h.metadata, h.created_at
          from head as h cross join generate_series(1, 5000) as n
        )
        insert into pgagent.checkpoint_writes (
          thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob
        )
        select 't', '', 'c' || n, 'task', 0, 'log', w.type, w.blob
        from generate_series(1, 5000) as n
        cross join (
          select type, blob from pgagent.checkpoint_writes where channel = 'log' limit 1
        ) as w
        """
    )
    for place in (1, 2500, 5000):
        found = saver.get_delta_channel_history(
            config=thread(checkpoint_ns="", checkpoint_id=f"c{place}"), channels=["log"]
        )
        assert len(found["log"]["writes"]) == place + 1


def test_an_ancestor_that_is_missing_is_an_error_and_not_an_empty_value(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = delta_graph(saver)
    for n in range(2):
        graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
    stage.conn.execute("delete from pgagent.checkpoints where thread_id = 't' and seq = 2")
    with pytest.raises(HistoryBroken):
        graph.get_state(thread())


def test_prune_keeps_what_a_delta_channel_is_rebuilt_from(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = delta_graph(saver)
    for n in range(12):
        graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
        before = graph.get_state(thread()).values
        saver.prune(["t"])
        assert graph.get_state(thread()).values == before
        assert stage.count("checkpoints") <= 9
    assert len(before["log"]) == 24


# --- prune


class Memory(TypedDict):
    memory: Annotated[list[str], operator.add]


def nested(saver: PgAgentSaver) -> Graph:
    """A subgraph a call, and one that remembers."""
    inner = StateGraph(Memory).add_node("s", lambda state: {"memory": ["s"]}).add_edge(START, "s")
    outer = StateGraph(State)
    outer.add_node("calls", inner.compile())
    outer.add_node("remembers", inner.compile(checkpointer=True))
    outer.add_node("ask", lambda state: {"log": [interrupt("?")]})
    outer.add_edge(START, "calls").add_edge("calls", "remembers").add_edge("remembers", "ask")
    return outer.compile(checkpointer=saver)


def test_what_is_left_after_prune_reads_and_runs_as_before(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = nested(saver)
    for n in range(3):
        graph.invoke({"log": [str(n)]}, thread(), durability="sync")
        before = graph.get_state(thread(), subgraphs=True)
        saver.prune(["t"])
        assert graph.get_state(thread(), subgraphs=True) == before._replace(
            parent_config=before.parent_config
        )
        graph.invoke(Command(resume="yes"), thread(), durability="sync")
    saver.prune(["t"])
    assert graph.get_state(thread()).values["log"] == ["0", "yes", "1", "yes", "2", "yes"]
    namespaces = stage.conn.execute(
        "select checkpoint_ns from pgagent.checkpoints where thread_id = 't' order by 1"
    ).fetchall()
    assert namespaces == [("",), ("remembers",)]
    assert stage.count("checkpoint_writes") == 0


def test_prune_leaves_no_value_that_nothing_needs(stage: Stage, saver: PgAgentSaver) -> None:
    graph = StateGraph(State).add_node("a", lambda state: {"log": [f"{len(state['log'])} " * 99]})
    built = graph.add_edge(START, "a").compile(checkpointer=saver)
    for n in range(12):
        built.invoke({"log": [f"in {n} " * 99]}, thread(), durability="sync")
    before = built.get_state(thread()).values
    saver.prune(["t"])
    assert built.get_state(thread()).values == before
    assert stage.count("checkpoints") == 1
    assert stage.count("checkpoint_items") == len(before["log"]) == 24
    named = stage.conn.execute(
        "select count(*) from pgagent.checkpoint_blobs as b where not exists (select from "
        "pgagent.checkpoints as c where c.checkpoint -> 'channel_versions' ->> b.channel = "
        "b.version)"
    ).fetchone()
    assert named == (0,)
    built.invoke({"log": ["z"]}, thread(), durability="sync")
    assert built.get_state(thread()).values["log"] == [*before["log"], "z", "25 " * 99]


def test_prune_keeps_as_many_as_asked_and_what_is_young(stage: Stage, saver: PgAgentSaver) -> None:
    graph = StateGraph(State).add_node("a", lambda state: {"log": ["x"]})
    built = graph.add_edge(START, "a").compile(checkpointer=saver)
    for _ in range(3):
        built.invoke({"log": ["y"]}, thread(), durability="sync")
    before = told(saver)
    saver.prune(["t", "nobody"], older_than=timedelta(hours=1))
    assert told(saver) == before
    saver.prune(["t"], keep_last=4, older_than=timedelta(0))
    assert told(saver) == before[:4]
    saver.prune(["t"], strategy="delete")
    assert told(saver) == []


def test_prune_says_which_strategies_there_are(saver: PgAgentSaver) -> None:
    with pytest.raises(BadArgument, match="no strategy 'newest'"):
        saver.prune(["t"], strategy="newest")
    with pytest.raises(BadArgument, match="keeps nothing"):
        saver.prune(["t"], strategy="delete", keep_last=3)


# --- delete by run


def test_deleting_a_run_leaves_the_others_as_they_are(stage: Stage, saver: PgAgentSaver) -> None:
    graph = StateGraph(State).add_node("a", lambda state: {"log": ["x"]})
    built = graph.add_edge(START, "a").compile(checkpointer=saver)
    runs = [uuid.uuid4().hex for _ in range(3)]
    for run_id in runs:
        config = thread() | {"metadata": {"run_id": run_id}}
        built.invoke({"log": [run_id]}, config, durability="sync")
    before = told(saver)
    assert len(before) == 9
    saver.delete_for_runs(runs[1:2])
    assert told(saver) == before[:3] + before[6:]
    saver.delete_for_runs(runs[2:])
    assert told(saver) == before[6:]
    assert built.get_state(thread()).values["log"] == [runs[0], "x"]


# --- copies


def test_a_copy_reads_as_its_source_and_goes_its_own_way(stage: Stage, saver: PgAgentSaver) -> None:
    graph = nested(saver)
    for n in range(2):
        graph.invoke({"log": [str(n)]}, thread(), durability="sync")
        graph.invoke(Command(resume="yes"), thread(), durability="sync")
    saver.copy_thread("t", "u")
    for ours, theirs in zip(told(saver, "u"), told(saver), strict=True):
        assert ours[1:3] == theirs[1:3]
        assert ours[4] == theirs[4]
    before = told(saver)
    graph.invoke({"log": ["more"]}, thread("u"), durability="sync")
    assert told(saver) == before
    with pytest.raises(IdempotencyConflict):
        saver.copy_thread("t", "u")


def test_a_copy_of_the_latest_goes_on_and_costs_no_more_for_a_long_history(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = nested(saver)
    buffers = []
    for n in range(12):
        graph.invoke({"log": ["x" * 200]}, thread(), durability="sync")
        if n in (5, 11):
            with stage.conn.transaction():
                found = stage.conn.execute(
                    "explain (analyze, buffers, format json) "
                    f"select pgagent.copy_thread('t', 'copy {n}', latest_only => true)"
                ).fetchone()
            assert found is not None
            buffers.append(found[0][0]["Plan"]["Shared Hit Blocks"])
        graph.invoke(Command(resume="yes"), thread(), durability="sync")
    assert stage.count("checkpoints", "copy 11") == 2
    assert graph.invoke(Command(resume="no"), thread("copy 11"))["log"][-1] == "no"
    assert buffers[1] < 1.6 * buffers[0]


def test_a_delta_channel_is_copied_with_what_it_is_rebuilt_from(saver: PgAgentSaver) -> None:
    graph = delta_graph(saver)
    for n in range(5):
        graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
    saver.copy_thread("t", "u", latest_only=True)
    assert graph.get_state(thread("u")).values == graph.get_state(thread()).values


def put_log(saver: PgAgentSaver, log: list[Any], run_id: str) -> Any:
    version = saver.get_next_version(None, None)
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"log": log}
    checkpoint["channel_versions"] = {"log": version}
    config = thread(checkpoint_ns="")
    return saver.put(config, checkpoint, {"run_id": run_id}, {"log": version})


def test_what_versions_share_survives_the_deletion_of_one_and_nothing_else_does(
    stage: Stage, saver: PgAgentSaver
) -> None:
    log = [{"text": "x" * 300, "n": n} for n in range(9)]
    for n in range(6):
        log.append({"text": "y" * 300, "n": n})
        put_log(saver, log, f"r{n}")
    del log[2:5]
    last = put_log(saver, log, "r6")
    assert stage.count("checkpoint_items") == 15
    saver.delete_for_runs([f"r{n}" for n in range(6)])
    found = saver.get_tuple(last)
    assert found is not None
    assert found.checkpoint["channel_values"]["log"] == log
    assert stage.count("checkpoints") == 1
    assert stage.count("checkpoint_items") == 12


# --- branches


def counting(saver: PgAgentSaver) -> Graph:
    graph = StateGraph(State).add_node("a", lambda state: {"log": [str(len(state["log"]))]})
    return graph.add_edge(START, "a").compile(checkpointer=saver)


def overtaken(saver: PgAgentSaver, other: PgAgentSaver) -> None:
    """A run that another one overtakes."""
    graph = StateGraph(State)

    def overtaking(state: State) -> Any:
        counting(other).invoke({"log": ["other"]}, thread(), durability="sync")
        return {"log": ["late"]}

    graph.add_node("a", overtaking).add_edge(START, "a")
    graph.compile(checkpointer=saver).invoke({"log": ["in"]}, thread(), durability="sync")


def forks(stage: Stage) -> list[Any]:
    return stage.conn.execute(
        "select is_deliberate from pgagent.forks where thread_id = 't' order by created_at"
    ).fetchall()


def test_a_run_that_was_overtaken_is_stored_as_a_branch_and_shown(
    stage: Stage, saver: PgAgentSaver
) -> None:
    counting(saver).invoke({"log": []}, thread(), durability="sync")
    overtaken(saver, saver)
    assert forks(stage) == [(False,)]


def test_a_run_that_was_overtaken_is_refused_when_asked_for(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, on_fork="reject") as saver:
        counting(saver).invoke({"log": []}, thread(), durability="sync")
        with pytest.raises(HeadMoved):
            overtaken(saver, saver)
        state = counting(saver).get_state(thread())
        assert state.values["log"][-2:] == ["other", "3"]
        assert forks(stage) == []


def test_a_branch_that_somebody_makes_on_purpose_is_no_race(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, on_fork="reject") as saver:
        graph = counting(saver)
        for _ in range(2):
            graph.invoke({"log": ["in"]}, thread(), durability="sync")
        old = list(graph.get_state_history(thread()))[3].config
        graph.update_state(old, {"log": ["edit"]}, as_node="a")
        graph.invoke(None, list(graph.get_state_history(thread()))[-2].config)
        assert set(forks(stage)) == {(True,)}


# --- lists


def pages(state: Any) -> Any:
    n = len(state["pages"])
    return {"pages": [{"text": f"{n}" * 300}], "index": {f"page {n}": {"text": f"{n}" * 300}}}


class Pages(TypedDict):
    pages: Annotated[list[dict[str, str]], operator.add]
    index: Annotated[dict[str, dict[str, str]], operator.or_]


def test_who_edits_an_item_of_one_state_of_a_list_does_not_edit_the_others(
    stage: Stage, saver: PgAgentSaver
) -> None:
    built = StateGraph(Pages).add_node("a", pages).add_edge(START, "a").compile(checkpointer=saver)
    for _ in range(9):
        built.invoke({"pages": [], "index": {}}, thread())
    assert stage.conn.execute(
        "select distinct channel from pgagent.checkpoint_items order by channel"
    ).fetchall() == [("index",), ("pages",)]
    newest, *older = [found.values for found in built.get_state_history(thread())]
    newest["pages"][0]["text"] = newest["index"]["page 0"]["text"] = "edited"
    assert {state["pages"][0]["text"] for state in older if state.get("pages")} == {"0" * 300}
    assert {state["index"]["page 0"]["text"] for state in older if state.get("index")} == {
        "0" * 300
    }


# --- a parent that is gone


class Documents(TypedDict):
    log: Annotated[list[str], operator.add]
    document: str
    pages: list[dict[str, str]]


def overtaken_in(other: PgAgentSaver, writes: dict[str, Any], edit: Any = None) -> Any:
    """A graph that another run overtakes; then what its own began with is pruned."""

    def node(state: Any) -> Any:
        graph = StateGraph(Documents).add_node("a", lambda state: {"log": ["other"], **writes})
        graph.add_edge(START, "a").compile(checkpointer=other).invoke({"log": []}, thread())
        other.prune(["t"])
        if edit is not None:
            edit(state)
        return {"log": ["late"]}

    return StateGraph(Documents).add_node("a", node).add_edge(START, "a")


DOCUMENT = {"document": "long " * 50, "pages": [{"text": "page " * 50} for _ in range(9)]}


@pytest.mark.parametrize("history", ["full", "latest"])
def test_a_run_that_was_overtaken_keeps_what_was_pruned(stage: Stage, history: Any) -> None:
    with (
        PgAgentSaver(stage.dsn, history=history) as saver,
        PgAgentSaver(stage.dsn, history=history) as other,
    ):
        graph = overtaken_in(other, {"document": "new", "pages": []})
        built = graph.compile(checkpointer=saver)
        built.update_state(thread(), {"log": ["first"], **DOCUMENT}, as_node="a")
        returned = built.invoke({"log": ["in"]}, thread())
        assert returned == {"log": ["first", "in", "late"], **DOCUMENT}
        assert built.get_state(thread()).values == returned


async def test_a_run_with_await_that_was_overtaken_keeps_what_was_pruned(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn) as saver:
        with PgAgentSaver(stage.dsn) as other:
            graph = overtaken_in(other, {"document": "new", "pages": []})
            built = graph.compile(checkpointer=saver)
            await built.aupdate_state(thread(), {"log": ["first"], **DOCUMENT}, as_node="a")
            returned = await built.ainvoke({"log": ["in"]}, thread())
            assert returned == {"log": ["first", "in", "late"], **DOCUMENT}
            assert (await built.aget_state(thread())).values == returned


def test_a_value_that_is_edited_in_place_and_still_stored_is_no_conflict(stage: Stage) -> None:
    def edit(state: Any) -> None:
        state["pages"][0]["text"] = "edited"

    with PgAgentSaver(stage.dsn) as saver, PgAgentSaver(stage.dsn) as other:
        built = overtaken_in(other, {"document": "new"}, edit).compile(checkpointer=saver)
        built.update_state(thread(), {"log": ["first"], **DOCUMENT}, as_node="a")
        built.invoke({"log": ["in"]}, thread())
        values = built.get_state(thread()).values
        assert values == {"log": ["first", "in", "late"], **DOCUMENT}


def test_an_overtaken_run_that_cannot_be_rebuilt_is_refused_and_the_thread_goes_on(
    stage: Stage,
) -> None:
    with PgAgentSaver(stage.dsn, history="latest") as saver:
        overtaking = delta_graph(saver)

        def overtaken(state: Any) -> Any:
            for n in range(4):
                overtaking.invoke({"log": [f"other {n}"]}, thread(), durability="sync")
            return {"log": ["late"]}

        overtaking.invoke({"log": ["in"]}, thread(), durability="sync")
        graph = StateGraph(DeltaState).add_node("a", overtaken).add_edge(START, "a")
        with pytest.raises(HistoryBroken, match="the parent is not stored any more"):
            graph.compile(checkpointer=saver).invoke({"log": ["x"]}, thread(), durability="sync")
        assert len(overtaking.get_state(thread()).values["log"]) == 11
        assert len(overtaking.invoke({"log": ["y"]}, thread())["log"]) == 13


# --- the latest alone


def test_a_saver_of_the_latest_keeps_no_history_and_goes_on(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, history="latest") as saver, PgAgentSaver(stage.dsn) as full:
        graph, other = nested(saver), nested(full)
        for n in range(4):
            for built, thread_id in ((graph, "t"), (other, "u")):
                built.invoke({"log": [str(n)]}, thread(thread_id), durability="sync")
                state = built.get_state(thread(thread_id), subgraphs=True)
                assert [task.name for task in state.tasks] == ["ask"]
                built.invoke(Command(resume="yes"), thread(thread_id), durability="sync")
        ours, theirs = graph.get_state(thread("t")), other.get_state(thread("u"))
        assert ours.values == theirs.values
        assert stage.count("checkpoints") == 2
        assert stage.count("checkpoints", "u") > 30


def test_a_delta_channel_works_with_the_latest_alone(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, history="latest") as saver:
        graph = delta_graph(saver)
        for n in range(30):
            graph.invoke({"log": [f"in {n}"]}, thread(), durability="sync")
        assert len(graph.get_state(thread()).values["log"]) == 60
        assert stage.count("checkpoints") <= 16


# --- lists


def test_a_list_without_values_has_everything_else(saver: PgAgentSaver) -> None:
    graph = counting(saver)
    for _ in range(3):
        graph.invoke({"log": ["in"]}, thread(), durability="sync")
    short, whole = list(saver.list(thread(), values=False)), list(saver.list(thread()))
    assert [(t.config, t.metadata, t.parent_config) for t in short] == [
        (t.config, t.metadata, t.parent_config) for t in whole
    ]
    assert all(t.checkpoint["channel_values"] == {} and not t.pending_writes for t in short)
    assert [t.checkpoint["channel_versions"] for t in short] == [
        t.checkpoint["channel_versions"] for t in whole
    ]


def test_a_list_of_one_checkpoint_reads_that_one(stage: Stage, saver: PgAgentSaver) -> None:
    graph = counting(saver)
    for _ in range(3):
        graph.invoke({"log": ["in"]}, thread(), durability="sync")
    wanted = list(saver.list(thread()))[4]
    assert list(saver.list(wanted.config)) == [wanted]


def test_what_is_done_to_one_tuple_of_a_list_does_not_show_in_the_next(
    saver: PgAgentSaver,
) -> None:
    log: list[Any] = [{"text": "x" * 300, "n": n} for n in range(6)]
    for n in range(6):
        log.append({"text": "y" * 300, "n": n})
        put_log(saver, log, f"r{n}")
    found = saver.list(thread())
    first = next(found).checkpoint["channel_values"]["log"]
    first[0]["n"] = "edited"
    first.clear()
    assert next(found).checkpoint["channel_values"]["log"] == log[:-1]


def test_a_long_list_is_read_in_bounded_memory(saver: PgAgentSaver) -> None:
    """Each checkpoint's list of 400 items would be 160 MB of copies, all at once."""
    log: list[Any] = [{"text": f"{n} " * 50, "n": n} for n in range(400)]
    for n in range(400):
        log[n]["n"] = -n
        put_log(saver, log, f"r{n}")
    tracemalloc.start()
    try:
        assert sum(1 for _ in saver.list(thread())) == 400
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20_000_000
