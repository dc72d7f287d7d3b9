"""The sync saver: what it stores, what it refuses, and what becomes of its connections."""

from __future__ import annotations

import copy
import enum
import inspect
import json
import math
import operator
import pickle
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Annotated, Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, StateUpdate, interrupt
from psycopg import ClientCursor
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool
from typing_extensions import TypedDict

from pgagent import (
    AsyncClient,
    AsyncPgAgentSaver,
    BadArgument,
    Client,
    PgAgentSaver,
    StaleToken,
    ThreadBusy,
    ThreadGone,
    Worker,
    calls,
    durable_tool,
)
from pgagent.fence import TOKEN_KEY, holding
from support.family import Fault, Graph, Saver, State
from support.processes import DIED, die, in_process, until
from support.stage import Stage, thread


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


def chain(saver: Saver, names: str, act: Any = None) -> Graph:
    graph = StateGraph(State)
    for name in names:

        def node(state: State, name: str = name) -> Any:
            if act is not None:
                act(name)
            return {"log": [name]}

        graph.add_node(name, node)
    for one, other in zip([START, *names], names, strict=False):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=saver)


def rows(stage: Stage, thread_id: str = "t") -> dict[str, int]:
    """How many checkpoints, values and writes a thread has."""
    return {
        table: (
            stage.conn.execute(
                f"select count(*) from pgagent.checkpoint{table} where thread_id = %s",
                (thread_id,),
            ).fetchone()
            or (0,)
        )[0]
        for table in ("s", "_blobs", "_writes")
    }


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
    assert rows(stage)["s"] == checkpoints


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
    anything_is_stored = rows(stage)["s"] > 0
    assert in_process(lambda: run(None if anything_is_stored else {"log": ["in"]})) == 0
    assert "".join(stage.journal.nodes()) in [f"abcd{again}e" for again in may_run_again]
    with PgAgentSaver(stage.dsn) as saver:
        assert chain(saver, "abcde").get_state(thread()).values["log"] == ["in", *"abcde"]


def test_a_thread_id_may_be_a_uuid(stage: Stage, saver: PgAgentSaver) -> None:
    thread_id = uuid.uuid4()
    graph = chain(saver, "a")
    graph.invoke({"log": []}, {"configurable": {"thread_id": thread_id}})
    assert graph.get_state(thread(str(thread_id))).values["log"] == ["a"]
    assert rows(stage, str(thread_id))["s"] == 3
    saver.delete_thread(thread_id)  # type: ignore[arg-type]
    assert rows(stage, str(thread_id))["s"] == 0


def test_a_config_without_a_thread_id_is_refused(saver: PgAgentSaver) -> None:
    with pytest.raises(BadArgument, match="thread_id"):
        saver.get_tuple({"configurable": {}})


def test_only_the_deliberate_methods_differ_between_sync_and_async() -> None:
    for sync, later in ((PgAgentSaver, AsyncPgAgentSaver), (Client, AsyncClient)):
        names = {name for name in vars(sync) if not name.startswith("_")}
        assert names == {name for name in vars(later) if not name.startswith("_")}
        for name in sorted(names):
            one, other = getattr(sync, name), getattr(later, name)
            if callable(one):
                assert shape(one) == shape(other), name


def shape(method: Any) -> list[tuple[str, Any, Any]]:
    parameters = inspect.signature(method).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters]


def test_every_call_has_a_method_of_its_name(stage: Stage) -> None:
    built = {
        name
        for name, found in vars(calls).items()
        if inspect.isfunction(found)
        and not name.startswith("_")
        and str(found.__annotations__.get("return", "")).startswith("Call[")
    }
    savers_own = {
        *("put_checkpoint", "put_writes", "get_checkpoint", "list_checkpoints"),
        "delta_channel_history",
    }
    assert built - savers_own == {name for name in vars(Client) if name in built}


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
    assert rows(stage) == {"s": 0, "_blobs": 0, "_writes": 0}


def test_a_new_run_begins_a_deleted_thread_anew(stage: Stage, saver: PgAgentSaver) -> None:
    graph = chain(saver, "a")
    graph.invoke({"log": ["old"]}, thread())
    saver.delete_thread("t")
    assert graph.get_state(thread()).values == {}
    assert graph.invoke({"log": ["new"]}, thread())["log"] == ["new", "a"]
    assert rows(stage)["s"] == 3


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


# --- connections


def test_a_connection_in_a_transaction_is_refused(stage: Stage) -> None:
    with psycopg.connect(stage.dsn) as conn, pytest.raises(ValueError, match="autocommit"):
        PgAgentSaver(conn)


def test_one_connection_serves_parallel_nodes(stage: Stage) -> None:
    with psycopg.connect(stage.dsn, autocommit=True) as conn:
        graph = StateGraph(State)
        for n in range(8):
            graph.add_node(str(n), lambda state, n=n: {"log": [str(n)]}).add_edge(START, str(n))
        result = graph.compile(checkpointer=PgAgentSaver(conn)).invoke({"log": []}, thread())
    assert sorted(result["log"]) == [str(n) for n in range(8)]


def test_a_pool_that_is_handed_in_is_left_open(stage: Stage) -> None:
    with ConnectionPool(stage.dsn, min_size=1, kwargs={"autocommit": True}) as pool:
        with PgAgentSaver(pool) as saver:
            chain(saver, "a").invoke({"log": []}, thread())
        assert not pool.closed


def cut_all(stage: Stage) -> None:
    """Ends all connections of the worker role at the server."""
    stage.conn.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where usename = 'agent_worker' and datname = current_database()"
    )


@pytest.mark.parametrize(
    "options",
    [{"row_factory": dict_row}, {"cursor_factory": ClientCursor}],
    ids=["rows as mappings", "arguments bound by the client"],
)
def test_a_pool_may_have_rows_and_cursors_of_its_own_kind(
    stage: Stage, options: dict[str, Any]
) -> None:
    """Pools made for LangGraph's own saver give rows as mappings."""
    kwargs: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, **options}
    with ConnectionPool(stage.dsn, min_size=1, kwargs=kwargs) as pool:
        assert chain(PgAgentSaver(pool), "ab").invoke({"log": []}, thread())["log"] == ["a", "b"]
        assert PgAgentSaver(pool).client.append_message("t", "user", "hello") == (1, True)


def named_statements(saver: PgAgentSaver) -> int:
    for _ in range(10):
        saver.get_tuple(thread())
    with saver.client.connection() as conn:
        return len(conn.execute("select from pg_prepared_statements").fetchall())


def test_statements_have_no_names_unless_wanted(stage: Stage) -> None:
    """Behind a transaction pooler, a name may stand for what another client has prepared."""
    with PgAgentSaver(stage.dsn, max_size=1) as saver:
        assert named_statements(saver) == 0
    with PgAgentSaver(stage.dsn, max_size=1, kwargs={"prepare_threshold": 1}) as saver:
        assert named_statements(saver) > 0


def test_statements_of_a_client_that_binds_arguments_itself_have_no_names(stage: Stage) -> None:
    kwargs: dict[str, Any] = {"autocommit": True, "cursor_factory": ClientCursor}
    with ConnectionPool(stage.dsn, min_size=1, max_size=1, kwargs=kwargs) as pool:
        assert named_statements(PgAgentSaver(pool)) == 0


def test_a_run_goes_on_when_all_its_connections_were_cut(stage: Stage, saver: PgAgentSaver) -> None:
    graph = chain(saver, "abc", lambda name: cut_all(stage) if name == "b" else None)
    result = graph.invoke({"log": ["in"]}, thread(), durability="sync")
    assert result["log"] == ["in", "a", "b", "c"]
    cut_all(stage)
    assert graph.get_state(thread()).values == result
    assert rows(stage)["s"] == 5


def test_a_call_that_was_cut_off_in_the_middle_is_sent_again(
    stage: Stage, saver: PgAgentSaver
) -> None:
    stage.client.create_session("t")
    with ThreadPoolExecutor(1) as pool:
        with stage.conn.transaction():
            stage.conn.execute("select from pgagent.agent_sessions for update")
            recorded = pool.submit(saver.client.record_usage, "t", "turn", input_tokens=1)
            until(
                lambda: stage.conn.execute(
                    "select pg_terminate_backend(pid, 5000) from pg_locks"
                    " where not granted and locktype = 'transactionid'"
                ).fetchone()
            )
        assert recorded.result() is True


def test_a_call_that_must_not_be_sent_twice_is_not(stage: Stage, saver: PgAgentSaver) -> None:
    saver.client.create_session("t")
    cut_all(stage)
    with pytest.raises(psycopg.OperationalError):
        saver.client.append_event("t", "step")


def test_a_saver_that_was_closed_says_so(stage: Stage) -> None:
    saver = PgAgentSaver(stage.dsn)
    saver.close()
    with pytest.raises(RuntimeError, match="closed"):
        saver.get_tuple(thread())


def test_a_saver_that_nobody_opened_opens_at_its_first_call(stage: Stage) -> None:
    saver = PgAgentSaver(stage.dsn)
    assert saver.get_tuple(thread()) is None
    saver.close()


async def test_the_async_methods_of_the_sync_saver_say_which_to_use(saver: PgAgentSaver) -> None:
    with pytest.raises(NotImplementedError, match="AsyncPgAgentSaver"):
        await chain(saver, "a").ainvoke({"log": []}, thread())


# --- an application's own transaction


@pytest.fixture
def application(stage: Stage) -> Stage:
    stage.conn.execute("create table orders (id integer)")
    stage.conn.execute("grant all on orders to agent_worker")
    return stage


def one_transaction(stage: Stage, *, commits: bool) -> calls.Run:
    """An application's row, a message, an event, a checkpoint and the end of a run, at once."""
    run = stage.client.start_run("t", "app")
    header = {
        "thread_id": "t",
        "checkpoint_ns": "",
        "checkpoint_id": str(uuid.uuid4()),
        "checkpoint": {},
        "metadata": {"source": "loop", "step": 1},
        "channels": [],
    }
    with psycopg.connect(stage.dsn) as conn:
        client = Client(conn)
        conn.execute("insert into orders values (1)")
        client.append_message("t", "assistant", "done", fencing_token=run.fencing_token)
        client.append_event("t", "ordered", fencing_token=run.fencing_token)
        client.run(calls.put_checkpoint(json.dumps(header), b"", run.fencing_token))
        client.complete_job(run.job_id, run.fencing_token)
        if not commits:
            conn.rollback()
    return run


def counted(stage: Stage) -> list[int]:
    tables = ["orders", "pgagent.session_messages", "pgagent.checkpoints"]
    queries = [f"select count(*) from {table}" for table in tables]
    queries.append("select count(*) from pgagent.session_events where kind = 'ordered'")
    return [(stage.conn.execute(query).fetchone() or (0,))[0] for query in queries]


def test_an_application_commits_its_rows_and_ours_together(application: Stage) -> None:
    run = one_transaction(application, commits=True)
    assert counted(application) == [1, 1, 1, 1]
    assert application.status(run.job_id) == "COMPLETED"


def test_an_application_rolls_its_rows_and_ours_back_together(application: Stage) -> None:
    run = one_transaction(application, commits=False)
    assert counted(application) == [0, 0, 0, 0]
    assert application.status(run.job_id) == "IN_PROGRESS"


# --- values and versions


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**64 - 1,
        -(2**63),
        1e22,
        -0.0,
        math.inf,
        "",
        "a\0b",
        "é" * 40,
        "x" * 64,
        "x" * 65,
        "日本語😀",
        b"\0\xff",
        Colour.RED,
        [],
        {},
        [1, "a\0", None, [2.5]],
        {"a": {"b": (1, 2)}},
        {1, 2},
        uuid.UUID(int=7),
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_was_stored(saver: PgAgentSaver, value: Any) -> None:
    class One(TypedDict):
        it: Any
        colour: Colour

    graph = StateGraph(One).add_node("a", lambda state: {"it": value}).add_edge(START, "a")
    graph.compile(checkpointer=saver).invoke({"it": 0}, thread())
    theirs = InMemorySaver()
    graph.compile(checkpointer=theirs).invoke({"it": 0}, thread())
    found, wanted = (
        graph.compile(checkpointer=it).get_state(thread()).values["it"] for it in (saver, theirs)
    )
    assert (type(found), repr(found)) == (type(wanted), repr(wanted))


def test_a_value_that_is_no_number_comes_back(saver: PgAgentSaver) -> None:
    class One(TypedDict):
        it: float

    graph = StateGraph(One).add_node("a", lambda state: {"it": math.nan}).add_edge(START, "a")
    built = graph.compile(checkpointer=saver)
    built.invoke({"it": 0}, thread())
    assert math.isnan(built.get_state(thread()).values["it"])


def test_a_value_that_cannot_be_stored_is_named(saver: PgAgentSaver) -> None:
    class One(TypedDict):
        it: Any

    node = {"it": threading.Lock()}
    graph = StateGraph(One).add_node("a", lambda state: node).add_edge(START, "a")
    with pytest.raises(BadArgument, match="'it'"):
        graph.compile(checkpointer=saver).invoke({"it": 0}, thread(), durability="sync")


def test_metadata_that_cannot_be_stored_is_named(saver: PgAgentSaver) -> None:
    metadata: Any = {"source": "input", "step": -1, "made": object()}
    with pytest.raises(BadArgument, match="'made'"):
        saver.put(thread(checkpoint_ns=""), empty_checkpoint(), metadata, {})


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800"])
def test_metadata_that_only_python_calls_json_is_named(saver: PgAgentSaver, value: Any) -> None:
    config: RunnableConfig = {**thread(), "metadata": {"mine": value}}
    with pytest.raises(BadArgument, match="'mine'"):
        chain(saver, "a").invoke({"log": []}, config, durability="sync")


def test_two_branches_never_share_a_version(saver: PgAgentSaver) -> None:
    versions = {saver.get_next_version("00000001.abcd", None) for _ in range(50)}
    assert len(versions) > 40
    assert {version[:9] for version in versions} == {"00000002."}


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
