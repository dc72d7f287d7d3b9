"""Calls on an application's own connection join its transaction."""

from __future__ import annotations

import json
import uuid

import psycopg
import pytest

from pgagent import Client, calls
from support.stage import Stage


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
