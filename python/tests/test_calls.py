"""What a model or a tool produces reaches the server, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest

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
