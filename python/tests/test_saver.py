"""The sync saver under a graph: it does what LangGraph's savers do, and refuses what it must."""

from __future__ import annotations

import copy
import json
import operator
import pickle
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, StateUpdate, interrupt
from typing_extensions import TypedDict

from pgagent import (
    BadArgument,
    PgAgentSaver,
    StaleToken,
    ThreadBusy,
    ThreadGone,
    Worker,
    durable_tool,
)
from pgagent.fence import TOKEN_KEY, holding
from support.chains import chain
from support.family import Fault, Graph, Saver, State
from support.processes import DIED, die, in_process
from support.stage import Stage, thread


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def rows(stage: Stage) -> dict[str, int]:
    """How many checkpoints, values and writes the thread has."""
    tables = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
    return {table: stage.count(table) for table in tables}


# --- as LangGraph wants it


def eventful(saver: Saver) -> Graph:
    """Parallel nodes, a subgraph, a node that fails once, and a question."""

    class Outer(State):
        memory: list[str]

    class Inner(TypedDict):
        memory: Annotated[list[str], operator.add]

    fails = [True]

    def failing(state: Outer) -> Any:
        if fails:
            fails.clear()
            raise Fault("once")
        return {"log": ["f"]}

    inner = StateGraph(Inner).add_node("s", lambda state: {"memory": ["s"]}).add_edge(START, "s")
    graph = StateGraph(Outer)
    graph.add_node("a", lambda state: {"log": ["a"]})
    graph.add_node("f", failing)
    graph.add_node("sub", inner.compile())
    graph.add_node("ask", lambda state: {"log": [interrupt("?")]})
    graph.add_edge(START, "a").add_edge("a", "f").add_edge("a", "sub")
    graph.add_edge(["f", "sub"], "ask")
    return graph.compile(checkpointer=saver)


def story(saver: Saver) -> list[Any]:
    """Everything that can be asked about an eventful run, with ids by order of appearance."""
    graph = eventful(saver)
    told = []
    given: dict[str, Any] = {"log": ["in"], "note": [], "memory": []}
    with pytest.raises(Fault):
        graph.invoke(given, thread(), durability="sync")
    told.append(graph.get_state(thread(), subgraphs=True))
    graph.invoke(None, thread(), durability="sync")
    told.append(graph.get_state(thread()))
    (question,) = told[-1].interrupts
    graph.invoke(Command(resume={question.id: "yes"}), thread(), durability="sync")
    graph.update_state(thread(), {"note": ["edit"]}, as_node="ask")
    told.append(graph.get_state(thread()))
    told.extend(graph.get_state_history(thread()))
    return told


def plain(value: Any, names: dict[str, str]) -> Any:
    """A value without what differs from run to run: ids are named by order, errors by repr."""
    if isinstance(value, str):
        return "|".join(named(part, names) for part in value.split("|"))
    if isinstance(value, BaseException):
        return repr(value)
    if isinstance(value, dict):
        return {plain(k, names): plain(v, names) for k, v in value.items()}
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return [plain(item, names) for item in value]
    if hasattr(value, "_fields"):
        parts = {name: getattr(value, name) for name in value._fields if name != "created_at"}
        return {type(value).__name__: plain(parts, names)}
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: plain(getattr(value, f.name), names) for f in fields(value)}
    return value


def named(part: str, names: dict[str, str]) -> str:
    node, _, ident = part.rpartition(":")
    if len(ident) not in (32, 36):
        return part
    return f"{node}:{names.setdefault(ident, f'id {len(names)}')}"


def test_the_state_is_that_of_the_saver_in_memory_field_by_field(saver: PgAgentSaver) -> None:
    ours, theirs = story(saver), story(InMemorySaver())
    assert len(ours) == len(theirs)
    one: dict[str, str] = {}
    other: dict[str, str] = {}
    for found, wanted in zip(ours, theirs, strict=True):
        assert plain(found, one) == plain(wanted, other)
    assert len(one) > 10
    assert all(isinstance(state.created_at, str) for state in ours)


@pytest.mark.parametrize(("durability", "checkpoints"), [("sync", 7), ("async", 7), ("exit", 1)])
def test_each_durability_stores_its_number_of_checkpoints(
    stage: Stage, saver: PgAgentSaver, durability: Any, checkpoints: int
) -> None:
    chain(saver, "abcde").invoke({"log": []}, thread(), durability=durability)
    assert stage.count("checkpoints") == checkpoints


@pytest.mark.parametrize("names", ["a", "abc"])
def test_a_run_of_n_nodes_stores_n_plus_two_checkpoints(
    stage: Stage, saver: PgAgentSaver, names: str
) -> None:
    chain(saver, names).invoke({"log": []}, thread(), durability="sync")
    steps = [found.metadata["step"] for found in saver.list(thread())]
    assert steps == list(range(len(names), -2, -1))


def test_what_a_parallel_node_wrote_is_used_again(saver: PgAgentSaver) -> None:
    ran: Counter[str] = Counter()
    good_is_stored = threading.Event()
    put_writes = saver.put_writes

    def noticing(*args: Any) -> None:
        put_writes(*args)
        if any(channel == "log" for channel, _ in args[1]):
            good_is_stored.set()

    saver.put_writes = noticing  # type: ignore[method-assign]

    def bad(state: State) -> Any:
        ran["bad"] += 1
        assert good_is_stored.wait(5)
        if ran["bad"] == 1:
            raise Fault
        return {"log": ["bad"]}

    def good(state: State) -> Any:
        ran["good"] += 1
        return {"log": ["good"]}

    graph = StateGraph(State).add_node("bad", bad).add_node("good", good)
    graph.add_edge(START, "bad").add_edge(START, "good")
    built = graph.compile(checkpointer=saver)
    with pytest.raises(Fault):
        built.invoke({"log": []}, thread(), durability="sync")
    assert built.invoke(None, thread())["log"] == ["bad", "good"]
    assert ran == {"bad": 2, "good": 1}


def test_a_new_process_goes_on_after_the_last_finished_node(stage: Stage) -> None:
    def dying(name: str) -> None:
        stage.journal.note("ran", node=name)
        if name == "c" and stage.journal.nodes().count("c") == 1:
            die()

    def run(given: Any) -> Any:
        with PgAgentSaver(stage.dsn) as saver:
            chain(saver, "abcde", dying).invoke(given, thread(), durability="sync")

    assert in_process(lambda: run({"log": ["in"]})) == DIED
    assert in_process(lambda: run(None)) == 0
    assert stage.journal.nodes() == ["a", "b", "c", "c", "d", "e"]


@pytest.mark.parametrize(
    ("durability", "may_run_again"),
    [("sync", ["d"]), ("async", ["d", "cd", "bcd", "abcd"]), ("exit", ["abcd"])],
)
def test_each_durability_loses_to_a_kill_no_more_than_it_may(
    stage: Stage, durability: Any, may_run_again: list[str]
) -> None:
    def dying(name: str) -> None:
        stage.journal.note("ran", node=name)
        if name == "d" and stage.journal.nodes().count("d") == 1:
            die()

    def run(given: Any) -> Any:
        with PgAgentSaver(stage.dsn) as saver:
            chain(saver, "abcde", dying).invoke(given, thread(), durability=durability)

    assert in_process(lambda: run({"log": ["in"]})) == DIED
    anything_is_stored = stage.count("checkpoints") > 0
    assert in_process(lambda: run(None if anything_is_stored else {"log": ["in"]})) == 0
    assert "".join(stage.journal.nodes()) in [f"abcd{again}e" for again in may_run_again]
    with PgAgentSaver(stage.dsn) as saver:
        assert chain(saver, "abcde").get_state(thread()).values["log"] == ["in", *"abcde"]


def test_a_thread_id_may_be_a_uuid(stage: Stage, saver: PgAgentSaver) -> None:
    thread_id = uuid.uuid4()
    graph = chain(saver, "a")
    graph.invoke({"log": []}, {"configurable": {"thread_id": thread_id}})
    assert graph.get_state(thread(str(thread_id))).values["log"] == ["a"]
    assert stage.count("checkpoints", str(thread_id)) == 3
    saver.delete_thread(thread_id)  # type: ignore[arg-type]
    assert stage.count("checkpoints", str(thread_id)) == 0


def test_a_config_without_a_thread_id_is_refused(saver: PgAgentSaver) -> None:
    with pytest.raises(BadArgument, match="thread_id"):
        saver.get_tuple({"configurable": {}})


# --- what it refuses


def test_a_plain_run_on_a_thread_that_a_worker_owns_is_refused_and_stores_nothing(
    stage: Stage, saver: PgAgentSaver
) -> None:
    graph = chain(saver, "a")
    graph.invoke({"log": ["in"]}, thread())
    stage.client.start_run("t", "worker")
    before = rows(stage)
    with pytest.raises(ThreadBusy) as refused:
        graph.invoke({"log": ["more"]}, thread(), durability="sync")
    assert refused.value.sqlstate == "PA001"
    assert refused.value.hint
    with pytest.raises(ThreadBusy):
        graph.update_state(thread(), {"log": ["edit"]})
    assert rows(stage) == before


def test_a_stale_token_is_refused_and_stores_nothing(stage: Stage, saver: PgAgentSaver) -> None:
    run = stage.client.start_run("t", "worker")
    graph = chain(saver, "abc")
    config = thread(**{TOKEN_KEY: run.fencing_token})
    graph.invoke({"log": ["in"]}, config, durability="sync")
    stage.client.release_job(run.job_id, run.fencing_token)
    before = rows(stage)
    with pytest.raises(StaleToken) as refused:
        graph.invoke({"log": ["more"]}, config, durability="sync")
    assert refused.value.sqlstate == "PA002"
    with pytest.raises(StaleToken):
        graph.update_state(config, {"log": ["edit"]})
    assert rows(stage) == before


def test_a_refused_run_does_not_look_like_one_that_was_stored(
    stage: Stage, saver: PgAgentSaver
) -> None:
    """LangGraph drops some errors of savers when nobody waits for the write."""
    run = stage.client.start_run("t", "worker")
    stage.client.complete_job(run.job_id, run.fencing_token)
    with pytest.raises(StaleToken):
        chain(saver, "a").invoke(
            {"log": []}, thread(**{TOKEN_KEY: run.fencing_token}), durability="exit"
        )


def overtaken(stage: Stage, saver: PgAgentSaver, names: str) -> Any:
    """Runs a graph; while its node b runs, a worker owns the thread, and gives it up again."""

    def overtake(name: str) -> None:
        if name == "b":
            run = stage.client.start_run("t", "worker")
            stage.client.complete_job(run.job_id, run.fencing_token)
            chain(saver, "a").get_state(thread())  # others may read the thread meanwhile

    return chain(saver, names, overtake).invoke({"log": ["more"]}, thread(), durability="sync")


def test_a_plain_run_that_somebody_else_overtook_is_stale(
    stage: Stage, saver: PgAgentSaver
) -> None:
    """Nobody owns the thread any more: only the token that was seen at the start tells."""
    chain(saver, "a").invoke({"log": ["in"]}, thread())
    with pytest.raises(StaleToken):
        overtaken(stage, saver, "abc")
    assert chain(saver, "abc").get_state(thread()).values["log"] == ["in", "a", "more", "a"]


def test_the_first_run_of_a_thread_can_be_overtaken_too(stage: Stage, saver: PgAgentSaver) -> None:
    def overtake(name: str) -> None:
        run = stage.client.start_run("t", "worker")
        stage.client.complete_job(run.job_id, run.fencing_token)

    with pytest.raises(StaleToken):
        chain(saver, "ab", overtake).invoke({"log": ["in"]}, thread(), durability="sync")


def test_a_run_of_a_thread_that_was_deleted_and_begun_anew_is_refused(
    stage: Stage, saver: PgAgentSaver
) -> None:
    def begin_anew(name: str) -> None:
        if name == "b":
            saver.delete_thread("t")
            chain(saver, "x").invoke({"log": ["new"]}, thread())

    chain(saver, "a").invoke({"log": ["in"]}, thread())
    with pytest.raises(StaleToken):
        chain(saver, "abc", begin_anew).invoke({"log": []}, thread(), durability="sync")
    assert chain(saver, "x").get_state(thread()).values["log"] == ["new", "x"]


def test_the_thread_id_that_a_read_returns_is_its_plain_text(saver: PgAgentSaver) -> None:
    graph = chain(saver, "a")
    graph.invoke({"log": []}, thread())
    config = graph.get_state(thread()).config
    thread_id = config["configurable"]["thread_id"]
    assert thread_id == "t"
    assert {"t": 1}[thread_id] == 1
    assert repr(thread_id) == "'t'"
    assert json.dumps(config) == json.dumps(copy.deepcopy(config))
    assert pickle.loads(pickle.dumps(thread_id)).token == thread_id.token == 0
    assert graph.invoke({"log": []}, {"configurable": {"thread_id": thread_id}})["log"] == ["a"] * 2


@pytest.mark.parametrize("late", ["put", "put_writes"])
def test_a_late_write_does_not_bring_a_deleted_thread_back(
    stage: Stage, saver: PgAgentSaver, late: str
) -> None:
    old = thread(checkpoint_ns="")
    config = saver.put(old, empty_checkpoint(), {"source": "input", "step": -1}, {})
    with PgAgentSaver(stage.dsn) as other:
        other.delete_thread("t")
    arguments: tuple[Any, ...] = {
        "put": (config, empty_checkpoint(), {"source": "loop", "step": 0}, {}),
        "put_writes": (config, [("log", ["late"])], "task"),
    }[late]
    with pytest.raises(ThreadGone):
        getattr(saver, late)(*arguments)
    assert not any(rows(stage).values())


def test_a_new_run_begins_a_deleted_thread_anew(stage: Stage, saver: PgAgentSaver) -> None:
    graph = chain(saver, "a")
    graph.invoke({"log": ["old"]}, thread())
    saver.delete_thread("t")
    assert graph.get_state(thread()).values == {}
    assert graph.invoke({"log": ["new"]}, thread())["log"] == ["new", "a"]
    assert stage.count("checkpoints") == 3


@pytest.mark.parametrize(
    "options",
    [{"on_fork": "rejct"}, {"history": "lates"}, {"allow": dict}, {"allow": ["my.Type"]}],
)
def test_an_option_with_a_typo_is_refused(stage: Stage, options: dict[str, Any]) -> None:
    with pytest.raises(BadArgument, match=next(iter(options))):
        PgAgentSaver(stage.dsn, **options)


def test_a_thread_id_in_place_of_a_list_prunes_nothing(saver: PgAgentSaver) -> None:
    with pytest.raises(BadArgument, match="list of thread ids"):
        saver.prune("t", keep_last=1)


def test_deleting_a_thread_that_is_not_there_is_no_error(saver: PgAgentSaver) -> None:
    saver.delete_thread("never")
    saver.delete_thread("never")


def test_the_token_reaches_the_writes_of_a_bulk_update(stage: Stage, saver: PgAgentSaver) -> None:
    run = stage.client.start_run("t", "worker")
    graph = chain(saver, "ab")
    updates = [[StateUpdate({"log": [text]}, "a")] for text in ("one", "two")]
    graph.bulk_update_state(thread(**{TOKEN_KEY: run.fencing_token}), updates)
    assert graph.get_state(thread()).values["log"] == ["one", "two"]


def test_the_token_reaches_a_call_that_names_the_thread_itself(
    stage: Stage, saver: PgAgentSaver
) -> None:
    """LangGraph drops the configurable there; the context of the run holds the token."""
    run = stage.client.start_run("t", "worker")
    inner = chain(saver, "b")
    graph = chain(saver, "a", lambda name: inner.update_state(thread(), {"note": ["x"]}, "b"))
    with holding("t", run.fencing_token):
        graph.invoke({"log": []}, thread(**{TOKEN_KEY: run.fencing_token}), durability="sync")
    with pytest.raises(ThreadBusy):
        graph.invoke({"log": []}, thread(), durability="sync")


# --- whatever the clocks and paths


def test_a_client_whose_clock_is_an_hour_behind_stores_what_is_latest(stage: Stage) -> None:
    right = time.time_ns

    def run(behind: int, given: str) -> None:
        time.time_ns = lambda: right() - behind * 10**9
        checkpoint_ids._last_v6_timestamp = None
        with PgAgentSaver(stage.dsn) as saver:
            chain(saver, "a").invoke({"log": [given]}, thread(), durability="sync")

    assert in_process(lambda: run(0, "one")) == 0
    assert in_process(lambda: run(3600, "two")) == 0
    with PgAgentSaver(stage.dsn) as saver:
        found = list(saver.list(thread()))
        assert found[0].checkpoint["id"] < found[-1].checkpoint["id"]  # the clock was behind
        state = chain(saver, "a").get_state(thread())
        assert state.values["log"] == ["one", "a", "two", "a"]
        assert state.config == found[0].config


def test_everything_works_with_an_empty_search_path(stage: Stage) -> None:
    dsn = stage.dsn + "?options=-csearch_path%3D"

    @durable_tool
    def act() -> str:
        return "done"

    with PgAgentSaver(dsn) as saver:
        with saver.client.connection() as conn:
            assert conn.execute("show search_path").fetchone() in [("",), ('""',)]
        graph = chain(saver, "ab", lambda name: act())
        Worker(graph).run(once=True)
        job = saver.client.enqueue_job("t", {"log": ["in"]}).job_id
        saver.client.append_message("t", "user", "hello")
        Worker(graph).run(once=True)
        found = saver.client.get_job(job)
        assert found is not None
        assert found.status == "COMPLETED"
        assert len(list(graph.get_state_history(thread()))) == 4
        graph.update_state(thread(), {"log": ["edit"]})
        saver.delete_thread("t")


async def test_the_async_methods_of_the_sync_saver_say_which_to_use(saver: PgAgentSaver) -> None:
    with pytest.raises(NotImplementedError, match="AsyncPgAgentSaver"):
        await chain(saver, "a").ainvoke({"log": []}, thread())


# --- versions


@pytest.mark.parametrize("current", [None, "00000001.abcd", f"{1:032}.0123456789012345"])
def test_two_branches_never_share_a_version(saver: PgAgentSaver, current: str | None) -> None:
    versions = {saver.get_next_version(current, None) for _ in range(20_000)}
    assert len(versions) == 20_000
    assert len({version.partition(".")[0] for version in versions}) == 1


def test_branches_keep_their_values_apart_when_nodes_seed_the_random_numbers(
    saver: PgAgentSaver,
) -> None:
    answers = iter(range(10))

    def answer(state: State) -> Any:
        random.seed(7)
        return {"log": [f"answer {next(answers)}"]}

    graph = StateGraph(State).add_node("a", answer).add_edge(START, "a")
    built = graph.compile(checkpointer=saver)
    built.invoke({"log": ["question"]}, thread())
    before = next(found for found in built.get_state_history(thread()) if found.next == ("a",))
    for _ in range(3):
        returned = built.invoke(None, before.config)
        assert built.get_state(thread()).values == returned


def test_versions_sort_as_text(saver: PgAgentSaver) -> None:
    version = None
    seen = []
    for _ in range(300):
        version = saver.get_next_version(version, None)
        seen.append(version)
    assert seen == sorted(seen)


def test_a_thread_with_versions_of_the_old_form_goes_on_with_them(saver: PgAgentSaver) -> None:
    old = f"{9:032}.0123456789012345"
    assert old < saver.get_next_version(old, None)
    assert saver.get_next_version(old, None).startswith(f"{10:032}.")
