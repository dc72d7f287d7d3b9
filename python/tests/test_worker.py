"""The worker: leases, signals, deaths, errors and results, with real processes."""

from __future__ import annotations

import asyncio
import itertools
import operator
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Annotated, Any, LiteralString

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from psycopg.types.json import Jsonb
from pydantic import BaseModel
from typing_extensions import TypedDict

from pgagent import Client, LeaseLost, PgAgentSaver, Worker
from pgagent.embedded import Server
from support.family import Fault, Graph, Saver, State
from support.processes import DIED, Forked, die, until
from support.stage import Stage

Node = Callable[[Any], Any]
both = pytest.mark.usefixtures("kind")
"""Of both kinds of workers."""

LEASE = 0.9
"""Seconds, where a lease must run out by itself."""


class Chat(TypedDict):
    messages: Annotated[list[Any], operator.add]


def chain(stage: Stage, saver: Saver, **nodes: Node | None) -> Graph:
    """One node after the other. Each notes that it ran, does what is given, and adds its name."""

    def step(name: str, act: Node | None) -> Node:
        def run(state: State) -> Any:
            stage.journal.ran(name)
            if act is not None:
                act(state)
            return {"log": [name]}

        return run

    graph = StateGraph(State)
    for name, act in nodes.items():
        graph.add_node(name, step(name, act))
    for one, other in itertools.pairwise([START, *nodes]):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=saver)


def waiting_in_b(stage: Stage, saver: Saver) -> Graph:
    return chain(stage, saver, a=None, b=lambda state: stage.at("b"), c=None)


def failing(stage: Stage, saver: Saver) -> Graph:
    def fail(state: State) -> None:
        raise Fault("always")

    return chain(stage, saver, a=None, b=fail)


def choosy(stage: Stage, saver: Saver) -> Graph:
    def act(state: State) -> None:
        if state["log"][-1] != "go on":
            raise Fault

    return chain(stage, saver, a=act)


def logged(stage: Stage) -> list[str]:
    return [note["text"] for note in stage.journal.notes("log")]


# --- stopping


@both
def test_sigterm_gives_the_job_back_when_the_step_under_way_has_ended(stage: Stage) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b, once=False) as worker:
        stage.wait_at("b")
        worker.send(signal.SIGTERM)
        stage.open("b")
        assert worker.wait() == 0
    assert stage.status(job) == "PENDING"
    assert stage.journal.nodes() == ["a", "b"]
    assert stage.state(waiting_in_b).next == ("c",)


@both
def test_a_job_that_was_given_back_is_not_charged_and_goes_on_at_once(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=1)
    with stage.worker(waiting_in_b, once=False) as worker:
        stage.wait_at("b")
        worker.send(signal.SIGTERM)
        stage.open("b")
        worker.wait()
    stage.deliver(waiting_in_b)
    assert stage.status(job) == "COMPLETED"
    assert stage.deliveries(job) == [(1, "released"), (1, "completed")]
    assert stage.journal.nodes() == ["a", "b", "c"]


@both
def test_sigterm_stops_a_worker_that_waits_for_work(stage: Stage) -> None:
    with stage.worker(waiting_in_b, once=False, poll=60) as worker:
        until(
            lambda: (
                stage.conn.execute(
                    "select from pg_stat_activity where usename = 'agent_worker'"
                    # what it asks when there was nothing to claim
                    " and query like '%notify%' and state = 'idle'"
                ).fetchone()
                is not None
            )
        )
        time.sleep(0.1)
        began = time.monotonic()
        worker.send(signal.SIGTERM)
        assert worker.wait() == 0
    assert time.monotonic() - began < 10


def test_a_signal_that_interrupts_a_look_at_the_stop_flag_does_not_hang(stage: Stage) -> None:
    worker = Worker(waiting_in_b(stage, PgAgentSaver(stage.conn)))

    def signalled() -> None:
        with worker._signals(), worker._bell._cond:
            signal.raise_signal(signal.SIGTERM)
        until(lambda: worker._stopping)

    with Forked(signalled, timeout=20) as process:
        assert process.wait() == 0


# --- dying


@both
def test_after_sigkill_another_worker_goes_on_and_no_finished_node_runs_again(
    stage: Stage,
) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b) as worker:
        stage.wait_at("b")
        worker.send(signal.SIGKILL)
        assert worker.wait() == -signal.SIGKILL
    stage.open("b")
    assert stage.deliver(waiting_in_b) == 0
    assert stage.status(job) == "IN_PROGRESS"  # nobody knows yet that the worker is dead
    stage.let_leases_run_out()
    stage.deliver(waiting_in_b)
    assert stage.status(job) == "COMPLETED"
    assert stage.journal.nodes() == ["a", "b", "b", "c"]
    assert stage.state(waiting_in_b).values["log"] == ["in", "a", "b", "c"]


@both
def test_a_job_whose_worker_always_dies_fails_after_its_last_attempt(stage: Stage) -> None:
    def deadly(stage: Stage, saver: Saver) -> Graph:
        def act(state: State) -> None:
            if state["log"] == ["poison"]:
                die()

        return chain(stage, saver, a=act)

    poison = stage.enqueue(payload={"log": ["poison"]}, max_attempts=2)
    for _ in range(3):  # the first delivery made progress: it took the input in
        assert stage.deliver(deadly) == DIED
        stage.let_leases_run_out()
    assert stage.status(poison) == "FAILED"
    assert stage.deliveries(poison) == [(1, "lost"), (1, "lost"), (2, "lost")]


@both
def test_a_job_that_failed_lets_the_queue_move_on(stage: Stage) -> None:
    failed = stage.enqueue("one", max_attempts=1)
    behind = stage.enqueue("another", payload={"log": ["go on"]})
    stage.deliver(choosy)
    stage.clock.advance(100)
    stage.deliver(choosy)
    assert stage.status(failed) == "FAILED"
    assert stage.status(behind) == "COMPLETED"


def waiting_at_nothing(stage: Stage, saver: Saver) -> Graph:
    return chain(stage, saver, a=None, b=None)


# --- the lease


@both
def test_a_job_of_six_leases_is_renewed_and_never_stolen(stage: Stage) -> None:
    def slow(stage: Stage, saver: Saver) -> Graph:
        return chain(stage, saver, a=lambda state: time.sleep(6 * LEASE), b=None)

    job = stage.enqueue()
    thief = Client(stage.conn)
    with stage.worker(slow, lease=LEASE) as worker:
        until(lambda: stage.status(job) == "IN_PROGRESS")
        while stage.status(job) == "IN_PROGRESS":
            assert thief.claim_job("thief", lease=60) is None
            time.sleep(0.02)
        assert worker.wait() == 0
    assert stage.status(job) == "COMPLETED"
    assert stage.deliveries(job) == [(1, "completed")]


def test_a_lease_is_renewed_at_about_a_third_of_it(stage: Stage) -> None:
    beats: list[float] = []

    class Counting(Client):
        def renew_lease(self, *args: Any, **kwargs: Any) -> Any:
            beats.append(time.monotonic())
            return super().renew_lease(*args, **kwargs)

    stage.enqueue()
    with PgAgentSaver(stage.dsn) as saver:
        graph = chain(stage, saver, a=lambda state: time.sleep(3 * LEASE))
        worker = Worker(graph, lease=LEASE)
        worker.client = Counting(stage.conn)
        worker.run(once=True)
    gaps = [later - one for one, later in itertools.pairwise(beats)]
    assert len(beats) >= 6
    assert min(gaps) >= LEASE / 3 * 0.75


@both
def test_a_clock_that_is_wrong_changes_nothing(stage: Stage) -> None:
    right = time.time
    for shift in (3600, -3600):
        job = stage.enqueue(f"t{shift}")

        def wrong(stage: Stage, saver: Saver, shift: int = shift) -> Graph:
            time.time = lambda: right() + shift  # in the process of the worker alone
            return chain(stage, saver, a=lambda state: time.sleep(2 * LEASE), b=None)

        with stage.worker(wrong, lease=LEASE) as worker:
            until(lambda job=job: stage.status(job) == "IN_PROGRESS")
            while (seen := stage.job(job)).lease_expires_at is not None:
                (left,) = stage.conn.execute(
                    "select %s - pgagent._now()", (seen.lease_expires_at,)
                ).fetchone() or (None,)
                assert 0 < left.total_seconds() <= LEASE
                time.sleep(0.02)
            assert worker.wait() == 0
        assert stage.deliveries(job) == [(1, "completed")]


# --- losing the thread


@both
def test_a_worker_that_was_stopped_past_its_lease_writes_nothing_more(stage: Stage) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b) as stopped:
        stage.wait_at("b")
        stopped.stop()
        stage.let_leases_run_out()
        stage.open("b")
        stage.deliver(waiting_in_b)
        assert stage.status(job) == "COMPLETED"
        before = stored(stage)
        stopped.send(signal.SIGCONT)
        assert stopped.wait() == 0
    assert stored(stage) == before
    assert stage.journal.nodes() == ["a", "b", "b", "c"]
    (said,) = [line for line in logged(stage) if "not ours any more" in line]
    assert "the fencing token is stale" in said


def stored(stage: Stage) -> list[Any]:
    """Everything there is about threads, in a form that shows any change."""
    return [
        stage.conn.execute(
            f"select md5(string_agg(t::text, '' order by t::text)) from {table} t"
        ).fetchone()
        for (table,) in stage.conn.execute(
            "select relation::text from pgagent._thread_tables()"
            " union select 'pgagent.agent_sessions' order by 1"
        ).fetchall()
    ]


def talking_in_b(stage: Stage, saver: Saver) -> Graph:
    """Node b calls a model as soon as it is let go."""
    model = FakeListChatModel(responses=["said"])

    def talk(state: State) -> None:
        stage.at("b")
        try:
            model.invoke([HumanMessage("?")])
        except LeaseLost:
            stage.journal.note("the lease is lost")
            raise
        stage.journal.note("the model was called")

    return chain(stage, saver, a=None, b=talk, c=None)


@both
def test_a_worker_that_was_stopped_past_its_lease_calls_no_model_when_it_goes_on(
    stage: Stage,
) -> None:
    stage.enqueue()
    with stage.worker(talking_in_b, lease=LEASE) as stopped:
        stage.wait_at("b")
        stopped.stop()
        stage.open("b")
        until(lambda: stage.client.claim_job("another worker"))
        stopped.send(signal.SIGCONT)
        assert stopped.wait() == 0
    assert stage.journal.count("the model was called") == 0
    assert stage.journal.count("the lease is lost") == 1


@both
def test_a_run_whose_renewal_was_refused_calls_no_model(stage: Stage) -> None:
    job = stage.enqueue()
    with stage.worker(talking_in_b, lease=LEASE) as worker:
        stage.wait_at("b")
        stage.client.cancel_job(job, force=True)
        until(lambda: any(re.match("lost job .* stale", line) for line in logged(stage)))
        stage.open("b")
        assert worker.wait() == 0
    assert stage.journal.count("the model was called") == 0
    assert stage.journal.count("the lease is lost") == 1
    assert stage.journal.nodes() == ["a", "b"]
    assert stage.status(job) == "CANCELLED"


@both
def test_a_run_without_a_word_from_the_server_is_lost_before_its_lease_is_over(
    stage: Stage, pgagent_server: Server
) -> None:
    stage.enqueue()
    with stage.worker(talking_in_b, lease=3 * LEASE):
        stage.wait_at("b")
        pgagent_server.stop("immediate")
        try:
            time.sleep(2 * LEASE + 0.1)
            stage.open("b")
            until(lambda: stage.journal.count("the lease is lost"))
        finally:
            pgagent_server.start()


# --- cancelling


@both
def test_a_running_job_that_is_cancelled_stops_before_its_next_step(stage: Stage) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b, lease=LEASE) as worker:
        stage.wait_at("b")
        assert stage.client.cancel_job(job, reason="enough").outcome == "requested"
        time.sleep(LEASE)  # a renewal has told it by then
        stage.open("b")
        assert worker.wait() == 0
    assert stage.status(job) == "CANCELLED"
    assert stage.journal.nodes() == ["a", "b"]


# --- the server goes away


@both
def test_a_run_outlives_a_crash_of_the_server(stage: Stage, pgagent_server: Server) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b) as worker:
        stage.wait_at("b")
        pgagent_server.restart("immediate")
        stage.open("b")
        assert worker.wait() == 0
    assert finished(stage, pgagent_server, job) == ("COMPLETED", [(1, "completed")])
    assert stage.journal.nodes() == ["a", "b", "c"]


@both
def test_a_run_that_ends_while_the_server_is_away_is_not_lost(
    stage: Stage, pgagent_server: Server
) -> None:
    job = stage.enqueue()
    with stage.worker(waiting_in_b) as worker:
        stage.wait_at("b")
        pgagent_server.stop("immediate")
        stage.open("b")
        time.sleep(0.5)
        pgagent_server.start()
        assert worker.wait() == 0
    assert finished(stage, pgagent_server, job) == ("COMPLETED", [(1, "completed")])
    assert stage.journal.nodes() == ["a", "b", "c"]


def finished(stage: Stage, server: Server, job: Any) -> tuple[str, list[tuple[int, str]]]:
    """Status and deliveries of a job, over a connection that the crash did not break."""
    with Client(server.dsn(stage.conn.info.dbname)) as client:
        seen = client.get_job(job)
        assert seen is not None
        with client.connection() as conn:
            again = Stage(stage.dsn, conn, stage.clock, stage.path)
            return seen.status, again.deliveries(job)


# --- errors


@both
def test_an_error_is_tried_again_after_a_wait_that_grows_then_fails_the_job(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=3)
    waits = []
    for _ in range(4):  # the first one made progress
        stage.deliver(failing)
        waits.append(left(stage, job))
        stage.clock.advance(100)
    assert stage.status(job) == "FAILED"
    assert stage.job(job).error == {"type": "Fault", "message": "always"}
    assert 0.7 <= waits[0] <= 1
    assert waits[2] > waits[1]
    assert stage.journal.nodes() == ["a", "b", "b", "b", "b"]


def left(stage: Stage, job: Any) -> float:
    (wait,) = stage.conn.execute(
        "select %s - pgagent._now()", (stage.job(job).available_at,)
    ).fetchone() or (None,)
    return float(wait.total_seconds())


@both
def test_a_job_that_failed_frees_its_thread(stage: Stage) -> None:
    first = stage.enqueue(max_attempts=1)
    second = stage.enqueue(payload={"log": ["go on"]})

    for _ in range(3):
        stage.deliver(choosy)
        stage.clock.advance(100)
    assert stage.status(first) == "FAILED"
    assert stage.status(second) == "COMPLETED"


@both
def test_a_fatal_error_is_not_tried_again(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=5)
    stage.deliver(failing, is_fatal=lambda error: isinstance(error, Fault))
    assert stage.status(job) == "FAILED"
    assert stage.journal.nodes() == ["a", "b"]


@both
def test_a_rule_for_fatal_errors_that_raises_does_not_end_the_worker(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=5)
    assert stage.deliver(failing, is_fatal=lambda error: 1 / 0) == 0
    assert stage.status(job) == "PENDING"


@pytest.mark.parametrize("payload", ["text", 1, [], {"log": 1}])
@pytest.mark.parametrize("new", [True, False])
@both
def test_an_input_that_the_graph_does_not_take_fails_the_job(
    stage: Stage, payload: Any, new: bool
) -> None:
    if not new:
        stage.enqueue()
        stage.deliver(waiting_at_nothing)
    job = stage.enqueue(payload=payload, max_attempts=1)
    stage.deliver(waiting_at_nothing)
    assert stage.status(job) == "FAILED"


@both
def test_a_payload_that_cannot_be_made_an_input_fails_the_job(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=1)
    stage.deliver(waiting_at_nothing, to_input=lambda payload: payload["missing"])
    assert stage.status(job) == "FAILED"
    assert stage.job(job).error["type"] == "KeyError"


@pytest.mark.parametrize(
    "payload",
    ["repeat('1', 5000)", "repeat('[', 3000) || repeat(']', 3000)"],
    ids=["a number of many digits", "a list of many levels"],
)
@both
def test_a_payload_that_python_cannot_read_fails_the_job_and_not_the_worker(
    stage: Stage, payload: LiteralString
) -> None:
    behind = stage.enqueue("other")
    (job,) = stage.conn.execute(
        "select job_id from pgagent.enqueue_job("
        f"'t', ({payload})::jsonb, priority => 9, max_attempts => 1000)"
    ).fetchone() or (None,)
    assert stage.deliver(waiting_at_nothing) == 0
    assert stage.conn.execute(
        "select status, error ->> 'type' from pgagent.agent_jobs where job_id = %s", (job,)
    ).fetchone() == ("FAILED", "BadArgument")
    assert stage.status(behind) == "COMPLETED"


@both
def test_a_payload_of_null_fails_the_job(stage: Stage) -> None:
    stage.enqueue()
    stage.deliver(waiting_at_nothing)
    (job,) = stage.conn.execute(
        "select job_id from pgagent.enqueue_job('t', %s, max_attempts => 1)", (Jsonb(None),)
    ).fetchone() or (None,)
    stage.deliver(waiting_at_nothing)
    assert stage.status(job) == "FAILED"


def test_a_run_whose_every_checkpoint_is_stored_is_complete_though_invoke_raised(
    stage: Stage,
) -> None:
    class Hiccup(PgAgentSaver):
        refuses = True

        def put_writes(self, *args: Any) -> None:
            if self.refuses:
                self.refuses = False
                raise Fault("once")
            super().put_writes(*args)

    job = stage.enqueue()
    with Hiccup(stage.dsn) as saver:
        Worker(waiting_at_nothing(stage, saver)).run(once=True)
    assert stage.deliveries(job) == [(1, "completed")]
    assert stage.journal.nodes() == ["a", "b"]


# --- results


@both
def test_the_result_is_the_last_message_of_a_conversation(stage: Stage) -> None:
    def talking(stage: Stage, saver: Saver) -> Graph:
        graph = StateGraph(Chat)
        graph.add_node("model", lambda state: {"messages": [AIMessage("hello")]})
        return graph.add_edge(START, "model").compile(checkpointer=saver)

    job = stage.enqueue(payload={"messages": [{"role": "user", "content": "hi"}]})
    stage.deliver(talking)
    assert stage.job(job).result == {"role": "ai", "content": "hello"}


@pytest.mark.parametrize(
    "result",
    ["x" * 2_000_000, [1] * 300_000],
    ids=["too long as text", "too large as the server stores it"],
)
@both
def test_a_result_that_is_too_large_is_left_out_and_the_job_completes(
    stage: Stage, result: Any
) -> None:
    job = stage.enqueue(max_attempts=1)
    assert stage.deliver(waiting_at_nothing, to_result=lambda values: result) == 0
    assert stage.status(job) == "COMPLETED"
    assert stage.job(job).result.keys() == {"omitted"}


@both
def test_a_question_that_is_too_large_fails_the_job(stage: Stage) -> None:
    def asking(stage: Stage, saver: Saver) -> Graph:
        return chain(stage, saver, a=lambda state: interrupt("?" * 2_000_000))

    job = stage.enqueue(max_attempts=1)
    assert stage.deliver(asking) == 0
    assert stage.status(job) == "FAILED"
    assert stage.job(job).error["type"] == "LimitExceeded"


@both
def test_a_result_is_made_json_whatever_it_holds(stage: Stage) -> None:
    job = stage.enqueue()
    stage.deliver(
        waiting_at_nothing,
        to_result=lambda values: {"nul": "a\0b", "nan": float("nan"), 1: {2}, "o": object},
    )
    assert stage.job(job).result == {
        "nul": "a\ufffdb",
        "nan": "nan",
        "1": [2],
        "o": "<class 'object'>",
    }


# --- one run a thread


@both
def test_no_two_workers_run_a_thread_at_once_and_its_jobs_go_in_order(stage: Stage) -> None:
    def recording(stage: Stage, saver: Saver) -> Graph:
        def act(state: State) -> None:
            stage.journal.note("enters", job=state["log"][-1])
            time.sleep(0.02)
            stage.journal.note("leaves", job=state["log"][-1])

        return chain(stage, saver, a=act)

    jobs = [stage.enqueue(payload={"log": [str(n)]}) for n in range(8)]
    workers = [stage.worker(recording, once=False) for _ in range(3)]
    try:
        until(lambda: all(stage.status(job) == "COMPLETED" for job in jobs), timeout=40)
    finally:
        for worker in workers:
            worker.send(signal.SIGTERM)
            worker.wait()
    turns = [(note["what"], note["job"]) for note in stage.journal.notes("enters", "leaves")]
    assert turns == [(what, str(n)) for n in range(8) for what in ("enters", "leaves")]


@both
def test_other_threads_are_run_side_by_side(stage: Stage) -> None:
    jobs = [stage.enqueue(f"t{n}") for n in range(2)]
    with stage.worker(waiting_in_b) as one, stage.worker(waiting_in_b) as other:
        until(lambda: stage.journal.count("at") == 2)
        stage.open("b")
        assert one.wait() == other.wait() == 0
    assert [stage.status(job) for job in jobs] == ["COMPLETED"] * 2


# --- how it is made and told


def test_a_worker_wants_a_saver_of_ours(stage: Stage) -> None:
    with pytest.raises(TypeError, match="PgAgentSaver"):
        Worker(waiting_at_nothing(stage, None))


def test_a_queue_in_place_of_a_list_of_queues_is_refused(stage: Stage) -> None:
    with pytest.raises(TypeError, match=r"queues=\['slow'\]"):
        Worker(waiting_at_nothing(stage, None), stage.dsn, queues="slow")


def test_a_graph_without_a_checkpointer_is_given_one(stage: Stage) -> None:
    job = stage.enqueue()
    worker = Worker(waiting_at_nothing(stage, None), stage.dsn)
    worker.run(once=True)
    worker.saver.close()
    worker.client.close()
    assert stage.status(job) == "COMPLETED"


def test_another_thread_may_stop_a_worker(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn) as saver:
        worker = Worker(waiting_at_nothing(stage, saver), poll=0.05)
        running = threading.Thread(target=worker.run)
        running.start()
        job = stage.enqueue()
        until(lambda: stage.status(job) == "COMPLETED")
        worker.stop()
        running.join(10)
        assert not running.is_alive()


@both
def test_a_job_is_run_with_its_own_config(stage: Stage) -> None:
    job = stage.enqueue(config={"recursion_limit": 1}, max_attempts=1)
    stage.deliver(waiting_at_nothing)
    stage.clock.advance(100)
    stage.deliver(waiting_at_nothing)
    assert stage.job(job).error["type"] == "GraphRecursionError"


@both
def test_a_node_that_hands_its_config_on_does_not_write_to_another_run(stage: Stage) -> None:
    """Tokens are small numbers that count up in each thread: both runs have the same one."""
    other = stage.client.start_run("other", "another worker")

    def calling(stage: Stage, saver: Saver) -> Graph:
        child = chain(stage, saver, c=None)

        def call(state: State, config: RunnableConfig) -> None:
            own = {**config["configurable"], "thread_id": "other", "checkpoint_ns": ""}
            child.invoke({"log": ["in"]}, {"configurable": own}, durability="sync")

        graph = StateGraph(State)
        graph.add_node("call", call)
        graph.add_edge(START, "call")
        return graph.compile(checkpointer=saver)

    job = stage.enqueue()
    stage.deliver(calling)
    assert stage.job(job).fencing_token == other.fencing_token
    assert stage.job(job).error["type"] == "ThreadBusy"
    assert stage.state(waiting_at_nothing, "other").values == {}
    assert stage.job(other.job_id).started_checkpoint_id is None


@both
def test_a_run_that_goes_round_for_ever_ends_at_its_recursion_limit(stage: Stage) -> None:
    """Each delivery has made progress, and begins to count anew."""

    def turning(stage: Stage, saver: Saver) -> Graph:
        graph = StateGraph(State)
        graph.add_node("a", lambda state: {"log": ["a"]})
        graph.add_edge(START, "a")
        graph.add_edge("a", "a")
        return graph.compile(checkpointer=saver)

    job = stage.enqueue(config={"recursion_limit": 5})
    stage.deliver(turning)
    assert stage.status(job) == "FAILED"
    assert stage.job(job).error["type"] == "GraphRecursionError"


@both
def test_an_error_that_cannot_say_what_it_is_fails_the_job_and_not_the_worker(
    stage: Stage,
) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise Fault

    def failing(stage: Stage, saver: Saver) -> Graph:
        def fail(state: State) -> None:
            raise Mute

        return chain(stage, saver, a=fail)

    job = stage.enqueue()
    assert stage.deliver(failing) == 0
    assert stage.status(job) == "PENDING"
    assert "Mute" in stage.job(job).error["type"]


def exiting(stage: Stage, saver: Saver) -> Graph:
    """Its last node ends the process, as a script would."""

    def leave(state: State) -> None:
        if "stay" not in state["log"]:
            sys.exit("no more")

    return chain(stage, saver, a=None, b=leave)


def cancelled(stage: Stage, saver: Saver) -> Graph:
    def fail(state: State) -> None:
        if "stay" not in state["log"]:
            raise asyncio.CancelledError

    return chain(stage, saver, a=None, b=fail)


@pytest.mark.parametrize(
    ("build", "type_"), [(exiting, "SystemExit"), (cancelled, "NodeCancelledError")]
)
@both
def test_a_run_that_ends_its_process_fails_its_job_and_not_the_worker(
    stage: Stage, build: Any, type_: str
) -> None:
    job = stage.enqueue(max_attempts=2)
    other = stage.enqueue("u", {"log": ["stay"]})
    assert stage.deliver(build) == 0
    assert (stage.status(job), stage.status(other)) == ("PENDING", "COMPLETED")
    for _ in range(2):  # the first delivery made progress
        stage.clock.advance(100)
        assert stage.deliver(build) == 0
    assert stage.status(job) == "FAILED"
    assert stage.deliveries(job) == [(1, "failed"), (1, "failed"), (2, "failed")]
    assert stage.job(job).error["type"] == type_
    if build is exiting:
        assert stage.job(job).error["message"] == "the run called sys.exit(no more)"


@both
def test_an_input_that_cannot_be_made_because_somebody_exits_fails_the_job(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=1)
    assert stage.deliver(failing, to_input=lambda payload: sys.exit(3)) == 0
    assert stage.job(job).error == {
        "type": "SystemExit",
        "message": "the run called sys.exit(3)",
    }


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


class Odd:
    def __str__(self) -> str:
        raise Fault

    def model_dump(self) -> Any:
        raise Fault


@pytest.mark.parametrize(
    "value",
    [nested(100_000), 10**5_000, -(10**5_000), Odd(), Odd, BaseModel, {Odd(): 1}],
    ids=["deep", "huge", "less than huge", "mute", "a class", "a model class", "a mute key"],
)
@both
def test_a_result_that_json_cannot_hold_completes_the_job(stage: Stage, value: Any) -> None:
    job = stage.enqueue(max_attempts=1)
    stage.deliver(waiting_at_nothing, to_result=lambda values: {"x": value})
    assert stage.status(job) == "COMPLETED"
    assert "x" in stage.job(job).result


@both
def test_a_result_that_holds_itself_completes_the_job(stage: Stage) -> None:
    value: dict[str, Any] = {}
    value |= {"x": value, "y": [value]}
    job = stage.enqueue(max_attempts=1)
    stage.deliver(waiting_at_nothing, to_result=lambda values: value)
    assert stage.status(job) == "COMPLETED"


@both
def test_only_its_own_queues_are_served(stage: Stage) -> None:
    mine = stage.enqueue("mine", queue="research")
    other = stage.enqueue("other")
    stage.deliver(waiting_at_nothing, queues=["research"])
    assert (stage.status(mine), stage.status(other)) == ("COMPLETED", "PENDING")
