"""NOTIFY as a hint: what is sent, who is woken, and that nobody needs it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from harness.pooler import pooler
from langgraph.graph import START, StateGraph
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from pgagent import AsyncClient, Client, NotFound, PgAgentSaver, Worker, wake
from pgagent.calls import Call
from pgagent.testing import Server
from support.family import Graph, Saver, State
from support.processes import until
from support.stage import Stage


def short(saver: Saver) -> Graph:
    graph = StateGraph(State).add_node("a", lambda state: {"log": ["a"]}).add_edge(START, "a")
    return graph.compile(checkpointer=saver)


@contextmanager
def ears(stage: Stage) -> Iterator[Connection[Any]]:
    with psycopg.connect(stage.conn.info.dsn, autocommit=True) as conn:
        conn.execute("listen pgagent_ready")
        conn.execute("listen pgagent_ended")
        yield conn


def heard(conn: Connection[Any]) -> list[tuple[str, str]]:
    return [(n.channel, n.payload) for n in conn.notifies(timeout=0.2)]


@contextmanager
def working(dsn: str, **options: Any) -> Iterator[Worker]:
    """A worker on a thread, until it is stopped."""
    with PgAgentSaver.from_conn_string(dsn, max_size=3) as saver:
        worker = Worker(short(saver), **options)
        thread = threading.Thread(target=worker.run)
        thread.start()
        try:
            yield worker
        finally:
            worker.stop()
            thread.join(20)
            assert not thread.is_alive()


def listeners(stage: Stage) -> list[int]:
    rows = stage.conn.execute(
        "select pid from pg_stat_activity where query = 'listen pgagent_ready' "
        "and datname = current_database()"
    ).fetchall()
    return [pid for (pid,) in rows]


def seconds_to_end(stage: Stage, job: UUID) -> float:
    began = time.monotonic()
    until(lambda: stage.status(job) == "COMPLETED")
    return time.monotonic() - began


# --- what is sent


def test_nothing_is_sent_by_default(stage: Stage) -> None:
    with ears(stage) as conn:
        stage.enqueue()
        claimed = stage.client.claim_job("w1")
        assert claimed is not None
        stage.client.complete_job(claimed.job_id, claimed.fencing_token)
        assert heard(conn) == []


def test_each_way_to_become_claimable_is_told_and_no_other(stage: Stage) -> None:
    stage.client.run(set_notify("jobs"))
    ready = [("pgagent_ready", "default")]
    with ears(stage) as conn:
        job = stage.enqueue(max_attempts=9)
        assert heard(conn) == ready, "enqueued"
        other = stage.enqueue()
        assert heard(conn) == [], "it waits"
        delayed = stage.enqueue("later", delay=3600)
        assert heard(conn) == [], "it is not due"

        def claim() -> tuple[UUID, int]:
            claimed = stage.client.claim_job("w1")
            assert claimed is not None
            assert heard(conn) == [], "claimed"
            return claimed.job_id, claimed.fencing_token

        stage.client.release_job(*claim())
        assert heard(conn) == ready, "released"
        stage.client.fail_job(*claim(), "x", retry_in=0)
        assert heard(conn) == ready, "retried at once"
        claim()
        stage.clock.advance(61)
        stage.client.reap_expired()
        assert heard(conn) == ready, "taken back"
        stage.client.pause_job(*claim(), {"q": 1})
        assert heard(conn) == [], "paused"
        stage.client.resume_job(job, {"q": 2})
        assert heard(conn) == ready, "answered"
        stage.client.complete_job(*claim())
        assert heard(conn) == ready, "the next one was let in"
        stage.client.fail_job(*claim(), "x", retry_in=60)
        assert heard(conn) == [], "retried later"
        stage.client.cancel_job(other)
        assert heard(conn) == [], "cancelled"
        stage.client.requeue_job(other)
        assert heard(conn) == ready, "requeued"
        stage.client.cancel_job(delayed)
        assert heard(conn) == []
        stage.client.enqueue_jobs(
            [{"thread_id": name, "payload": 1, "delay": delay} for name, delay in
             (("t", 0), ("b1", 0), ("b2", 0), ("b3", 9))]
        )  # fmt: skip
        assert heard(conn) == ready, "a batch"
        stage.client.enqueue_job("b1", 2, on_busy="interrupt")
        assert heard(conn) == ready, "in place of another"


def test_one_transaction_sends_one_notification_a_queue(stage: Stage) -> None:
    stage.client.run(set_notify("jobs"))
    with ears(stage) as conn:
        with stage.conn.transaction():
            for number in range(50):
                stage.enqueue(f"t{number}", queue=("a", "b")[number % 2])
        assert sorted(heard(conn)) == [("pgagent_ready", "a"), ("pgagent_ready", "b")]
        with stage.conn.transaction(force_rollback=True):
            stage.enqueue("undone")
        assert heard(conn) == []


def test_of_transactions_that_meet_one_sends(stage: Stage) -> None:
    """Each that sends has its commit flushed alone."""
    stage.client.run(set_notify("jobs"))
    with ears(stage) as conn, psycopg.connect(stage.conn.info.dsn) as other:
        Client(other).enqueue_job("first", {})
        stage.enqueue("second")
        assert heard(conn) == []
        stage.enqueue("elsewhere", queue="other")
        assert heard(conn) == [("pgagent_ready", "other")]
        other.commit()
        assert heard(conn) == [("pgagent_ready", "default")]
        stage.enqueue("third")
        assert heard(conn) == [("pgagent_ready", "default")]


def test_a_worker_that_was_woken_looks_twice(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgagent.worker.base.LOOK_AGAIN", 2.0)
    stage.client.run(set_notify("jobs"))
    with working(stage.dsn, poll=30):
        until(lambda: listeners(stage))
        time.sleep(3)  # the two looks of its start
        # The hint comes before the job: as from a transaction that was beside another. The second
        # look comes after 1.0 to 2.0 seconds.
        job = stage.enqueue(delay=0.8)
        stage.conn.execute("notify pgagent_ready, 'default'")
        assert seconds_to_end(stage, job) < 15


def test_the_end_of_a_job_is_told_when_all_is(stage: Stage) -> None:
    stage.client.run(set_notify("all"))
    job = stage.enqueue()
    with ears(stage) as conn:
        claimed = stage.client.claim_job("w1")
        assert claimed is not None
        stage.client.pause_job(job, claimed.fencing_token, {"q": 1})
        assert heard(conn) == [("pgagent_ended", str(job))], "it waits for people"
        stage.client.cancel_job(job)
        assert heard(conn) == [("pgagent_ended", str(job))], "it ended"


def set_notify(value: str) -> Any:
    return Call("select pgagent.set_setting('notify', %s)", [value], lambda rows: rows[0][0])


# --- workers


def test_a_worker_that_listens_takes_a_job_at_once(stage: Stage) -> None:
    stage.client.run(set_notify("jobs"))
    with working(stage.dsn, poll=30):
        until(lambda: listeners(stage))
        time.sleep(0.2)
        job = stage.enqueue()
        assert seconds_to_end(stage, job) < 5
        assert seconds_to_end(stage, stage.enqueue("u")) < 5


def test_with_its_listener_killed_a_worker_finds_a_job_within_the_poll_interval(
    stage: Stage,
) -> None:
    stage.client.run(set_notify("jobs"))
    with working(stage.dsn, poll=1.0) as worker:
        until(lambda: listeners(stage))
        # Its next connection is refused too, so that nothing but polling is left.
        stage.conn.execute("alter role agent_worker connection limit 0")
        try:
            stage.conn.execute("select pg_terminate_backend(%s)", (listeners(stage)[0],))
            until(lambda: not listeners(stage))
            job = stage.enqueue()
            assert seconds_to_end(stage, job) < worker.poll * 1.25 + 2
            assert listeners(stage) == []
        finally:
            stage.conn.execute("alter role agent_worker connection limit -1")
        until(lambda: listeners(stage))  # and it listens again


def test_a_worker_does_not_listen_while_the_hint_is_off(stage: Stage) -> None:
    with working(stage.dsn, poll=0.05):
        assert seconds_to_end(stage, stage.enqueue()) < 10
        assert listeners(stage) == []


def test_a_worker_follows_the_setting(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wake.Listener, "RECHECK", 0.1)
    with working(stage.dsn, poll=0.05):
        stage.client.run(set_notify("jobs"))
        until(lambda: listeners(stage))
        stage.client.run(set_notify("off"))
        until(lambda: not listeners(stage))


def test_a_worker_that_listens_stops_at_once(stage: Stage) -> None:
    stage.client.run(set_notify("jobs"))
    with working(stage.dsn, poll=60):
        until(lambda: listeners(stage))
        began = time.monotonic()
    assert time.monotonic() - began < 5


def test_behind_a_pooler_a_worker_polls_and_says_so_once(
    stage: Stage, pgagent_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    stage.client.run(set_notify("jobs"))
    with pooler(pgagent_server.dsn(), ["agent_worker"]) as through:
        dsn = make_conninfo(through, dbname=stage.conn.info.dbname, user="agent_worker")
        with caplog.at_level(logging.WARNING, "pgagent.worker"), working(dsn, poll=0.2):
            for number in range(3):
                assert seconds_to_end(stage, stage.enqueue(f"t{number}")) < 10
        said = [r.getMessage() for r in caplog.records if "no notifications" in r.getMessage()]
        assert len(said) == 1
        assert "through a pooler" in said[0]
        assert listeners(stage) == []


def test_behind_a_pooler_a_worker_may_listen_elsewhere(
    stage: Stage, pgagent_server: Server
) -> None:
    stage.client.run(set_notify("jobs"))
    with pooler(pgagent_server.dsn(), ["agent_worker"]) as through:
        dsn = make_conninfo(through, dbname=stage.conn.info.dbname, user="agent_worker")
        with working(dsn, poll=30, listen=stage.dsn):
            until(lambda: listeners(stage))
            time.sleep(0.2)
            assert seconds_to_end(stage, stage.enqueue()) < 5


# --- waiting


def finish_soon(stage: Stage) -> threading.Timer:
    def finish() -> None:
        with Client(stage.dsn) as client:
            claimed = client.claim_job("w1")
            assert claimed is not None
            client.complete_job(claimed.job_id, claimed.fencing_token, "done")

    timer = threading.Timer(0.4, finish)
    timer.start()
    return timer


@pytest.mark.parametrize("notify", ["off", "all"])
def test_a_caller_waits_until_the_job_is_over(stage: Stage, notify: str) -> None:
    stage.client.run(set_notify(notify))
    job = stage.enqueue()
    timer = finish_soon(stage)
    with Client(stage.dsn) as client:
        done = client.wait_for_job(job, timeout=20)
    timer.join()
    assert (done.status, done.result) == ("COMPLETED", "done")


@pytest.mark.parametrize("notify", ["off", "all"])
def test_a_task_waits_until_the_job_is_over(stage: Stage, notify: str) -> None:
    stage.client.run(set_notify(notify))
    job = stage.enqueue()
    timer = finish_soon(stage)

    async def wait() -> Any:
        async with AsyncClient(stage.dsn) as client:
            return await client.wait_for_job(job, timeout=20)

    assert asyncio.run(wait()).result == "done"
    timer.join()


def test_a_caller_that_listens_is_woken_and_does_not_poll(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wake.Pauses, "next", lambda self: 30.0)
    stage.client.run(set_notify("all"))
    job = stage.enqueue()
    timer = finish_soon(stage)
    began = time.monotonic()
    with Client(stage.dsn) as client:
        assert client.wait_for_job(job).status == "COMPLETED"
    assert time.monotonic() - began < 10
    timer.join()


def test_a_caller_is_told_of_a_question_and_of_the_time_that_is_over(stage: Stage) -> None:
    job = stage.enqueue()
    with pytest.raises(TimeoutError, match="PENDING"):
        stage.client.wait_for_job(job, timeout=0.1)
    claimed = stage.client.claim_job("w1")
    assert claimed is not None
    stage.client.pause_job(job, claimed.fencing_token, {"q": 1})
    assert stage.client.wait_for_job(job, timeout=0.1).waiting_for == {"q": 1}
    stage.client.delete_session("t")
    with pytest.raises(NotFound):
        stage.client.wait_for_job(job)


def test_nobody_waits_in_an_open_transaction(stage: Stage) -> None:
    job = stage.enqueue()
    with psycopg.connect(stage.dsn) as conn, pytest.raises(ValueError, match="autocommit"):
        Client(conn).wait_for_job(job)
    with stage.conn.transaction(), pytest.raises(ValueError, match="autocommit"):
        stage.client.wait_for_job(job)
    with Client(stage.dsn) as client:
        waiting = threading.Thread(target=lambda: client.events_since("t", 1, wait=1.0))
        waiting.start()
        seen = set()
        while waiting.is_alive():
            seen |= {
                row[0]
                for row in stage.conn.execute(
                    "select state from pg_stat_activity where usename = 'agent_worker'"
                )
            }
            time.sleep(0.01)
    assert "idle" in seen
    assert not {state for state in seen if state and state.startswith("idle in transaction")}


def test_events_are_waited_for(stage: Stage) -> None:
    stage.client.create_session("t")

    def append() -> None:
        with Client(stage.dsn) as late:
            late.append_event("t", "late")

    timer = threading.Timer(0.3, append)
    with Client(stage.dsn) as client:
        assert client.events_since("t") == []
        began = time.monotonic()
        assert client.events_since("t", wait=0.2) == []
        assert time.monotonic() - began >= 0.15
        timer.start()
        assert [event.kind for event in client.events_since("t", wait=20)] == ["late"]
    timer.join()

    async def follow() -> list[str]:
        async with AsyncClient(stage.dsn) as client:
            stage.client.append_event("t", "next")
            return [event.kind for event in await client.events_since("t", 1, wait=5)]

    assert asyncio.run(follow()) == ["next"]
