"""What a model or a tool produces reaches the server, whatever is in it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from pgagent import AsyncClient, BadArgument, Client, StaleToken, ThreadBusy
from support.stage import Stage


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a\0b", "a\ufffdb"),
        ("half \ud83d of a pair", "half ? of a pair"),
        ("a whole 😀 pair", "a whole 😀 pair"),
        ("a backslash \\u0000 that is text", "a backslash \\u0000 that is text"),
        ({"x": [float("nan"), float("-inf")]}, {"x": ["nan", "-inf"]}),
        ({"k\0": 1}, {"k\ufffd": 1}),
        ([1e22, -0.0, 2**80], [1e22, 0.0, 2**80]),
    ],
)
def test_what_jsonb_cannot_hold_is_replaced_and_the_rest_is_kept(
    stage: Stage, sent: Any, kept: Any
) -> None:
    stage.client.create_session("t")
    stage.client.append_message("t", "user", sent)
    stage.client.enqueue_job("t", sent)
    job = stage.client.claim_job("w1")
    assert job is not None
    stage.client.pause_job(job.job_id, job.fencing_token, {"q": sent})
    stage.client.resume_job(job.job_id, {"q": sent})
    assert job.payload == kept
    found = stage.conn.execute(
        "select m.content, w.waiting_for -> 'q', w.resume -> 'q' "
        "from pgagent.session_messages as m join pgagent.agent_jobs as w using (thread_id)"
    ).fetchone()
    assert found is not None
    assert all(value in (kept, None) for value in found)
    assert found[0] == kept


def test_a_batch_of_jobs_is_answered_one_by_one(stage: Stage) -> None:
    jobs = [
        {"thread_id": "a", "payload": "x\0", "delay": timedelta(minutes=1), "priority": 3},
        {"thread_id": "b", "payload": None, "timeout": 90, "config": {"recursion_limit": 7}},
        {"thread_id": "c", "payload": 1, "priority": 11},
    ]
    with pytest.raises(BadArgument, match=re.escape("jobs[2]: priority must be from 0 to 9")):
        stage.client.enqueue_jobs(jobs)
    answers = stage.client.enqueue_jobs(jobs, keep_rest=True)

    assert [(answer.status, answer.enqueued) for answer in answers] == [
        ("PENDING", True), ("PENDING", True), (None, False),
    ]  # fmt: skip
    assert answers[2].job_id is None
    assert answers[2].error == {
        "code": "PA008", "message": "priority must be from 0 to 9", "detail": "priority: 11",
        "hint": "",
    }  # fmt: skip
    assert answers[0].job_id
    assert answers[1].job_id
    first, second = stage.job(answers[0].job_id), stage.job(answers[1].job_id)
    assert (first.payload, first.priority) == ("x\ufffd", 3)
    assert 50 < (first.available_at - first.created_at).total_seconds() <= 60
    assert (second.payload, second.config) == (None, {"recursion_limit": 7})


async def test_a_batch_of_jobs_with_await(stage: Stage, worker_dsn: str) -> None:
    async with AsyncClient(worker_dsn) as client:
        jobs = [{"thread_id": "a", "payload": 1, "idempotency_key": "k"}] * 2
        one, other = await client.enqueue_jobs(jobs)
    assert (one.enqueued, other.enqueued) == (True, False)
    assert one.job_id == other.job_id


def test_a_run_may_end_the_one_before_it(stage: Stage) -> None:
    old = stage.client.start_run("t", "w1")
    with pytest.raises(ThreadBusy):
        stage.client.start_run("t", "w2")
    new = stage.client.start_run("t", "w2", on_busy="interrupt")
    assert new.fencing_token == 2
    with pytest.raises(StaleToken):
        stage.client.append_event("t", "late", fencing_token=old.fencing_token)
    stage.client.enqueue_job("t", 1, on_busy="rollback", retry_base=5, retry_cap=60)
    assert stage.status(new.job_id) == "CANCELLED"


def test_the_waits_of_a_queue_are_seconds(stage: Stage) -> None:
    queues = Client(stage.conn)
    assert queues.delay_queue_retries("q", 2, timedelta(minutes=1)) == (2.0, 60.0)
    assert queues.delay_queue_retries("q") == (1.0, 300.0)
