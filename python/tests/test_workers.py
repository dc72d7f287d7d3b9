"""Workers of both kinds: several jobs at once, draining, steps that hang, health and logs."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langgraph.config import get_config
from langgraph.graph import START, StateGraph

from pgagent import AsyncPgAgentSaver, AsyncWorker, Client, Forbidden, PgAgentSaver, Worker
from pgagent.calls import Call, Job
from pgagent.embedded import Server
from pgagent.logs import AboutFilter, JsonFormatter
from pgagent.saver.head import Head, knowing
from support.family import Graph, Saver, State
from support.processes import until
from support.stage import HUNG, Stage, thread
from support.steps import chain, gate, waiting

both = pytest.mark.usefixtures("kind")
GRACE = 0.4
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgagent.worker.base.GRACE", GRACE)


def short(stage: Stage, saver: Saver) -> Graph:
    return chain(stage, saver, a=None)


def only_t0_waits(stage: Stage, saver: Saver) -> Graph:
    def act(stage: Stage, state: Any) -> Any:
        return gate(stage, state) if state["log"] == ["wait"] else None

    return chain(stage, saver, a=act, b=None)


def enqueue(stage: Stage, count: int, **options: Any) -> list[UUID]:
    return [stage.enqueue(f"t{n}", **options) for n in range(count)]


def statuses(stage: Stage, jobs: list[UUID]) -> list[str]:
    return [stage.status(job) for job in jobs]


# --- concurrency


@both
def test_one_claim_takes_as_many_jobs_as_there_are_free_places_and_no_more(stage: Stage) -> None:
    jobs = enqueue(stage, 5)
    with stage.worker(waiting, concurrency=3) as worker:
        stage.wait_at("b", times=3)
        assert statuses(stage, jobs) == ["IN_PROGRESS"] * 3 + ["PENDING"] * 2
        claims = stage.conn.execute(
            "select count(distinct started_at) from pgagent.agent_jobs where started_at is not null"
        ).fetchone()
        stage.open("b")
        assert worker.wait() == 0
    assert claims == (1,)
    assert statuses(stage, jobs) == ["COMPLETED"] * 5


@both
def test_a_place_that_became_free_is_filled_while_others_are_taken(stage: Stage) -> None:
    slow = stage.enqueue("slow", {"log": ["wait"]})
    jobs = enqueue(stage, 4)
    with stage.worker(only_t0_waits, concurrency=2, poll=30) as worker:
        until(lambda: statuses(stage, jobs) == ["COMPLETED"] * 4)
        assert stage.status(slow) == "IN_PROGRESS"
        stage.open("b")
        assert worker.wait() == 0
    assert stage.status(slow) == "COMPLETED"


@both
def test_once_runs_what_its_own_jobs_let_in_too(stage: Stage) -> None:
    jobs = [stage.enqueue("same") for _ in range(3)] + enqueue(stage, 2)
    assert stage.deliver(short, concurrency=4, poll=30) == 0
    assert statuses(stage, jobs) == ["COMPLETED"] * 5


def test_once_looks_again_after_a_run_that_ended_while_it_looked(stage: Stage) -> None:
    jobs = [stage.enqueue("same") for _ in range(2)]
    worker = Worker(short(stage, None), stage.dsn, concurrency=2, poll=30)
    claim = worker._claim

    def slowly(free: int) -> Any:
        claimed = yield from claim(free)
        until(lambda: not worker._running)
        return claimed

    worker._claim = slowly  # type: ignore[method-assign]
    assert worker.run(once=True) == 2
    assert statuses(stage, jobs) == ["COMPLETED"] * 2


@both
def test_max_jobs_ends_the_worker_and_leaves_the_rest_unclaimed(stage: Stage) -> None:
    jobs = enqueue(stage, 5)
    assert stage.deliver(short, once=False, max_jobs=3, concurrency=2) == 0
    assert Counter(statuses(stage, jobs)) == {"COMPLETED": 3, "PENDING": 2}
    assert sum(stage.job(job).attempt for job in jobs) == 3


def test_places_and_jobs_are_counted_from_one(stage: Stage) -> None:
    with pytest.raises(ValueError, match="concurrency is 0"):
        Worker(short(stage, None), stage.dsn, concurrency=0)
    worker = Worker(short(stage, PgAgentSaver(stage.conn)))
    with pytest.raises(ValueError, match="max_jobs is 0"):
        worker.run(max_jobs=0)
    with pytest.raises(ValueError, match="on_hang is 'die'"):
        Worker(short(stage, None), stage.dsn, on_hang="die")  # type: ignore[arg-type]


def test_each_kind_wants_a_saver_of_its_kind(stage: Stage) -> None:
    with pytest.raises(TypeError, match="AsyncWorker is for"):
        Worker(short(stage, AsyncPgAgentSaver(stage.dsn)))
    with pytest.raises(TypeError, match="AsyncPgAgentSaver"):
        AsyncWorker(short(stage, PgAgentSaver(stage.conn)))


def test_a_trivial_job_asks_the_server_nine_times(stage: Stage) -> None:
    """Claim, the head before and after, three checkpoints, two writes, the end."""
    sent: Counter[str] = Counter()

    class Counting(Client):
        def run(self, call: Call[Any]) -> Any:
            sent[call.sql.partition("pgagent.")[2].partition("(")[0]] += 1
            return super().run(call)

    enqueue(stage, 6)
    with PgAgentSaver(stage.dsn) as saver:
        saver.client = Counting(stage.dsn)
        Worker(short(stage, saver), concurrency=3).run(once=True)
        saver.client.close()
    names = ("get_checkpoint", "put_checkpoint", "put_writes", "complete_job")
    assert [sent[name] for name in names] == [12, 18, 12, 6]
    assert sent["claim_jobs"] < 10


def test_a_node_that_reads_its_thread_sees_what_is_stored_by_now(stage: Stage) -> None:
    def build(stage: Stage, saver: Saver) -> Graph:
        def look(stage: Stage, state: Any) -> None:
            stage.journal.note("saw", log=graph.get_state(thread("t0")).values["log"])

        graph = chain(stage, saver, a=None, b=look)
        return graph

    enqueue(stage, 1)
    stage.deliver(build)
    assert [note["log"] for note in stage.journal.notes("saw")] == [["in", "a"]]


def test_what_is_made_of_a_checkpoint_that_was_read_leaves_it_as_it_is(stage: Stage) -> None:
    """LangGraph notes in a checkpoint which versions its finished tasks have seen."""

    def fail(state: Any) -> Any:
        until(lambda: stage.count("checkpoint_writes"))
        raise ValueError

    builder = StateGraph(State).add_node("a", lambda state: {"log": ["a"]}).add_node("b", fail)
    with PgAgentSaver(stage.dsn) as saver:
        graph = builder.add_edge(START, "a").add_edge(START, "b").compile(checkpointer=saver)
        with pytest.raises(ValueError):  # noqa: PT011
            graph.invoke({"log": ["in"]}, thread())
        found = saver.get_tuple(thread())
        assert found
        assert found.pending_writes
        before = copy.deepcopy(found.checkpoint["versions_seen"])
        with knowing(Head("t", found)):
            assert graph.get_state(thread()).values["log"] == ["in", "a"]
        assert found.checkpoint["versions_seen"] == before


@both
def test_workers_of_both_kinds_listen(stage: Stage) -> None:
    stage.client.run(Call("select pgagent.set_setting('notify', 'jobs')", [], lambda rows: None))
    listening = "select from pg_stat_activity where query = 'listen pgagent_ready'"
    with stage.worker(short, once=False, poll=30) as worker:
        until(lambda: stage.conn.execute(listening).fetchone() is not None)
        time.sleep(0.2)
        began = time.monotonic()
        for job in enqueue(stage, 2):
            until(lambda job=job: stage.status(job) == "COMPLETED")  # type: ignore[misc]
        assert time.monotonic() - began < 5
        worker.send(signal.SIGTERM)
        assert worker.wait() == 0


# --- draining


@both
def test_sigterm_gives_all_jobs_back_uncharged_and_the_next_worker_starts_at_once(
    stage: Stage,
) -> None:
    jobs = enqueue(stage, 5, max_attempts=1)
    with stage.worker(waiting, once=False, concurrency=3) as worker:
        stage.wait_at("b", times=3)
        worker.send(signal.SIGTERM)
        time.sleep(0.2)
        stage.open("b")
        assert worker.wait() == 0
    assert statuses(stage, jobs) == ["PENDING"] * 5
    assert [stage.job(job).attempt for job in jobs] == [0] * 5
    stage.deliver(waiting, concurrency=5)  # no time has passed for the server
    assert statuses(stage, jobs) == ["COMPLETED"] * 5
    assert [stage.deliveries(job) for job in jobs[:3]] == [[(1, "released"), (1, "completed")]] * 3
    assert Counter(stage.journal.nodes()) == {"a": 5, "b": 5, "c": 5}


@both
@pytest.mark.parametrize("how", ["drain_timeout", "a second signal"])
def test_a_step_that_outlasts_the_drain_is_left_and_its_job_goes_back(
    stage: Stage, how: str
) -> None:
    (job,) = enqueue(stage, 1, max_attempts=1)
    timeout = 0.3 if how == "drain_timeout" else None
    with stage.worker(waiting, once=False, drain_timeout=timeout) as worker:
        stage.wait_at("b")
        worker.send(signal.SIGTERM)
        if timeout is None:
            time.sleep(0.3)
            assert stage.status(job) == "IN_PROGRESS"
            worker.send(signal.SIGTERM)
        # A thread cannot be ended, and is left with its process.
        assert worker.wait() == (0 if stage.is_async else HUNG)
    assert stage.status(job) == "PENDING"
    assert stage.deliveries(job) == [(1, "released")]
    stage.open("b")
    stage.deliver(waiting)
    assert stage.status(job) == "COMPLETED"
    assert stage.journal.nodes() == ["a", "b", "b", "c"]


def test_a_step_that_was_left_writes_nothing_when_it_ends(stage: Stage) -> None:
    (job,) = enqueue(stage, 1)
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        worker = Worker(waiting(stage, saver), drain_timeout=0.1, on_hang="replace", poll=0.05)
        ended: list[BaseException] = []

        def run() -> None:
            try:
                worker.run()
            except RuntimeError as error:
                ended.append(error)

        running = threading.Thread(target=run)
        running.start()
        stage.wait_at("b")
        worker.stop()
        running.join(20)
        (said,) = ended
        assert str(job) in str(said)
        other = stage.client.claim_job("another worker")
        assert other is not None
        stage.open("b")
        until(lambda: not worker._hung)
    assert stage.status(job) == "IN_PROGRESS"
    assert stage.job(job).worker == "another worker"
    assert stage.journal.nodes() == ["a", "b"]


def test_an_async_worker_that_is_cancelled_gives_its_jobs_back(stage: Stage) -> None:
    stage.is_async = True
    jobs = enqueue(stage, 2)

    async def run() -> None:
        async with AsyncPgAgentSaver(stage.dsn, max_size=4) as saver:
            worker = AsyncWorker(waiting(stage, saver), concurrency=2)
            running = asyncio.create_task(worker.run())
            await asyncio.to_thread(stage.wait_at, "b", 2)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    asyncio.run(run())
    assert statuses(stage, jobs) == ["PENDING"] * 2
    assert stage.deliveries(jobs[0]) == [(1, "released")]


# --- deadlines of steps


@both
def test_a_step_that_hangs_past_its_deadline_is_let_go_and_taken_over(stage: Stage) -> None:
    (hung,) = enqueue(stage, 1, step_timeout=0.6)
    began = time.monotonic()
    with stage.worker(waiting, once=False) as worker:
        stage.wait_at("b")
        if not stage.is_async:
            assert worker.wait() == HUNG
            assert time.monotonic() - began < 15
            (said,) = [n["text"] for n in stage.journal.notes("log") if "did not end" in n["text"]]
            assert "stage.at" in said, "where it hangs"
        else:
            until(lambda: any("lost job" in note["text"] for note in stage.journal.notes("log")))
            behind = stage.enqueue("behind", {"log": ["go"]})
            stage.open("b")
            until(lambda: stage.status(behind) == "COMPLETED")
            worker.send(signal.SIGTERM)
            assert worker.wait() == 0
    stage.open("b")
    stage.clock.advance(100)
    stage.client.reap_expired()
    stage.deliver(waiting)
    assert stage.status(hung) == "COMPLETED"
    assert stage.deliveries(hung)[0] == (1, "timed_out")
    assert stage.state(waiting, "t0").values["log"] == ["in", "a", "b", "c"]


def test_a_worker_that_was_told_to_goes_on_beside_a_thread_that_hangs(stage: Stage) -> None:
    (hung,) = enqueue(stage, 1, step_timeout=0.6, max_attempts=1)
    with stage.worker(only_t0_waits, once=False, on_hang="replace") as worker:
        stage.enqueue("never", {"log": ["wait"]}, step_timeout=0.6)
        stage.wait_at("b")
        behind = stage.enqueue("behind")
        until(lambda: stage.status(behind) == "COMPLETED")
        worker.send(signal.SIGTERM)
        assert worker.wait() == 0
    assert stage.status(hung) == "COMPLETED"


def deaf(stage: Stage, saver: Saver) -> Graph:
    """An async node that does not let itself be cancelled."""

    async def hang(state: State) -> State:
        stage.journal.note("at", gate="b")
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stage.journal.note("deaf")

    return StateGraph(State).add_node("a", hang).add_edge(START, "a").compile(checkpointer=saver)


def test_an_async_node_that_will_not_be_cancelled_ends_the_worker(stage: Stage) -> None:
    stage.is_async = True
    enqueue(stage, 1, step_timeout=0.6)
    with stage.worker(deaf, once=False) as worker:
        assert worker.wait() == HUNG
    assert stage.journal.count("deaf") >= 1


@both
def test_steps_that_end_in_time_put_the_deadline_off(stage: Stage) -> None:
    def slow(stage: Stage, state: Any) -> Any:
        return asyncio.sleep(0.5) if stage.is_async else time.sleep(0.5)

    (job,) = enqueue(stage, 1, step_timeout=0.8)
    assert stage.deliver(lambda stage, saver: chain(stage, saver, a=slow, b=slow, c=slow)) == 0
    assert stage.deliveries(job) == [(1, "completed")]
    assert stage.journal.nodes() == ["a", "b", "c"]


def test_an_async_run_that_lost_its_job_is_cancelled_where_it_awaits(stage: Stage) -> None:
    stage.is_async = True
    (job,) = enqueue(stage, 1)

    def build(stage: Stage, saver: Saver) -> Graph:
        async def sleep(stage: Stage, state: Any) -> None:
            stage.journal.note("at", gate="b")
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                stage.journal.note("cancelled")
                raise

        return chain(stage, saver, a=sleep)

    with stage.worker(build, lease=0.9) as worker:
        stage.wait_at("b")
        stage.client.cancel_job(job, force=True)
        assert worker.wait() == 0
    assert stage.journal.count("cancelled") == 1
    assert stage.status(job) == "CANCELLED"


@both
def test_workers_that_were_stopped_past_the_lease_write_nothing_more(stage: Stage) -> None:
    jobs = enqueue(stage, 3)
    with stage.worker(waiting, concurrency=3) as stopped:
        stage.wait_at("b", times=3)
        stopped.stop()
        stage.let_leases_run_out()
        stage.open("b")
        stage.deliver(waiting, concurrency=3)
        assert statuses(stage, jobs) == ["COMPLETED"] * 3
        tokens = [stage.job(job).fencing_token for job in jobs]
        stopped.send(signal.SIGCONT)
        assert stopped.wait() == 0
    assert Counter(stage.journal.nodes()) == {"a": 3, "b": 6, "c": 3}
    assert [stage.job(job).fencing_token for job in jobs] == tokens
    assert [stage.deliveries(job) for job in jobs] == [[(1, "lost"), (1, "completed")]] * 3
    assert len([n for n in stage.journal.notes("log") if "not ours any more" in n["text"]]) == 3


# --- the server goes away


def connections(stage: Stage) -> int:
    (count,) = stage.conn.execute(
        "select count(*) from pg_stat_activity where usename = 'agent_worker'"
    ).fetchone() or (0,)
    return int(count)


@both
def test_an_idle_worker_outlives_a_restart_of_the_server(
    stage: Stage, pgagent_server: Server
) -> None:
    with stage.worker(short, once=False, concurrency=2) as worker:
        until(lambda: connections(stage))
        pgagent_server.stop("immediate")
        until(lambda: any("no claim" in note["text"] for note in stage.journal.notes("log")))
        time.sleep(1)
        pgagent_server.start()
        with Client(pgagent_server.dsn(stage.conn.info.dbname)) as client:
            jobs = [client.enqueue_job(f"t{n}", {"log": ["in"]}).job_id for n in range(3)]
            for job in jobs:
                assert client.wait_for_job(job, timeout=40).status == "COMPLETED"
        worker.send(signal.SIGTERM)
        assert worker.wait() == 0


def test_pauses_grow_while_the_server_is_away(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    with PgAgentSaver("postgresql://127.0.0.1:1/nowhere", timeout=0.02) as saver:
        worker = Worker(short(stage, saver), poll=0.05)
        threading.Timer(3.0, worker.stop).start()
        with caplog.at_level(logging.WARNING, "pgagent.worker"):
            assert worker.run() == 0
    tries = [r for r in caplog.records if "no claim, trying again" in r.getMessage()]
    assert 4 <= len(tries) <= 15


# --- faults


def test_what_no_rule_has_foreseen_ends_the_worker_when_the_others_have_stopped(
    stage: Stage,
) -> None:
    class Faulty(Worker):
        def work(self, job: Job) -> None:
            if job.thread_id == "t1":
                stage.wait_at("b")
                raise ZeroDivisionError
            super().work(job)

    jobs = enqueue(stage, 2)
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        worker = Faulty(waiting(stage, saver), concurrency=2)
        threading.Timer(0.5, stage.open, ["b"]).start()
        with pytest.raises(ZeroDivisionError):
            worker.run()
    assert stage.deliveries(jobs[0]) == [(1, "released")]


def test_a_claim_that_is_refused_ends_the_worker_when_its_jobs_are_given_back(
    stage: Stage,
) -> None:
    class Refused(Client):
        def run(self, call: Call[Any]) -> Any:
            if "claim_jobs" in call.sql and stage.journal.count("at"):
                raise Forbidden("not any more")
            return super().run(call)

    (job,) = enqueue(stage, 1)
    with PgAgentSaver(stage.dsn, max_size=4) as saver, Refused(stage.dsn) as client:
        worker = Worker(waiting(stage, saver), concurrency=2, poll=0.05)
        worker.client = client
        threading.Timer(1.0, stage.open, ["b"]).start()
        with pytest.raises(Forbidden):
            worker.run()
    assert stage.deliveries(job) == [(1, "released")]


# --- health


@both
def test_the_health_file_is_young_while_the_worker_lives_and_then_gone(
    stage: Stage, tmp_path: Path
) -> None:
    path = tmp_path / "health"
    with stage.worker(waiting, once=False, health_file=path) as worker:
        until(path.exists)
        enqueue(stage, 1)
        stage.wait_at("b")  # it is touched while jobs run, too
        os.utime(path, (0, 0))
        until(lambda: path.stat().st_mtime > 0)
        worker.stop()
        os.utime(path, (0, 0))
        time.sleep(2)
        assert path.stat().st_mtime == 0, "a worker that stands still is not alive"
        worker.send(signal.SIGCONT)
        until(lambda: path.stat().st_mtime > 0)
        worker.send(signal.SIGTERM)
        stage.open("b")
        assert worker.wait() == 0
    assert not path.exists()


def test_a_health_file_that_cannot_be_made_is_refused_before_any_job(stage: Stage) -> None:
    (job,) = enqueue(stage, 1)
    worker = Worker(short(stage, PgAgentSaver(stage.conn)), health_file="/nowhere/health")
    with pytest.raises(FileNotFoundError):
        worker.run(once=True)
    assert stage.status(job) == "PENDING"


# --- logs


@both
def test_records_say_what_they_are_about(stage: Stage) -> None:
    stage.journal.note("nothing yet")
    (job,) = enqueue(stage, 1, traceparent=PARENT)
    path = stage.path / "lines"

    def build(stage: Stage, saver: Saver) -> Graph:
        handler = logging.FileHandler(path)
        handler.setFormatter(JsonFormatter())
        handler.addFilter(AboutFilter())
        logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)

        def act(stage: Stage, state: Any) -> None:
            logging.getLogger("my.tool").info("paying %s", 10, extra={"amount": 10})
            raise ValueError("no\nmoney")

        return chain(stage, saver, a=act)

    stage.deliver(build, name="w1")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    about = {"worker": "w1", "job_id": str(job), "thread_id": "t0", "attempt": 1,
             "trace_id": TRACE}  # fmt: skip
    (paying,) = [line for line in lines if line["logger"] == "my.tool"]
    assert paying["message"] == "paying 10"
    assert paying["amount"] == 10
    assert about.items() <= paying.items()
    (failed,) = [line for line in lines if "failed" in line["message"]]
    assert about.items() <= failed.items()
    assert failed["level"] == "WARNING"
    assert failed["error"]["type"] == "ValueError"
    assert failed["error"]["message"] == "no\nmoney"
    assert "paying" in failed["error"]["traceback"] or "act" in failed["error"]["traceback"]


@both
def test_a_run_knows_its_trace(stage: Stage) -> None:
    def build(stage: Stage, saver: Saver) -> Graph:
        def act(stage: Stage, state: Any) -> None:
            metadata = get_config()["metadata"]
            stage.journal.note("trace", **{k: metadata[k] for k in ("trace_id", "traceparent")})

        return chain(stage, saver, a=act)

    (job,) = enqueue(stage, 1, traceparent=PARENT, config={"metadata": {"mine": 1}})
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED", stage.job(job).error
    (said,) = stage.journal.notes("trace")
    assert (said["trace_id"], said["traceparent"]) == (TRACE, PARENT)
    assert stage.job(job).traceparent == PARENT


def test_a_record_outside_of_a_run_is_about_nothing() -> None:
    record = logging.makeLogRecord({"msg": "hi %s", "args": ("there",), "levelname": "INFO"})
    assert AboutFilter().filter(record)
    told = json.loads(JsonFormatter().format(record))
    assert told.keys() == {"time", "level", "logger", "message"}
    assert told["message"] == "hi there"


# --- streams


@both
def test_what_on_chunk_raises_does_not_fail_the_run(stage: Stage) -> None:
    def refuse(job: Job, mode: str, chunk: Any) -> None:
        stage.journal.note("chunk")
        raise ValueError

    (job,) = enqueue(stage, 1)
    assert stage.deliver(waiting_at_nothing, on_chunk=refuse, stream_mode="updates") == 0
    assert stage.status(job) == "COMPLETED"
    assert stage.journal.count("chunk") == 2


def waiting_at_nothing(stage: Stage, saver: Saver) -> Graph:
    return chain(stage, saver, a=None, b=None)


def test_an_async_worker_awaits_on_chunk(stage: Stage) -> None:
    stage.is_async = True

    async def note(job: Job, mode: str, chunk: Any) -> None:
        await asyncio.sleep(0)
        stage.journal.note("chunk", mode=mode)

    enqueue(stage, 1)
    stage.deliver(waiting_at_nothing, on_chunk=note, stream_mode=["updates", "values"])
    assert {n["mode"] for n in stage.journal.notes("chunk")} == {"updates", "values"}
