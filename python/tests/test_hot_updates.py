"""Each write of a run updates the session row: that must stay cheap."""

import json
import time

import psycopg

from pgagent.testing import Databases


def test_updates_of_the_session_row_touch_no_index(
    pgagent_dsn: str, pgagent_databases: Databases
) -> None:
    """As a worker, with nobody holding a snapshot: every update is a heap-only one."""
    server, name = (
        pgagent_databases.server,
        psycopg.conninfo.conninfo_to_dict(pgagent_dsn)["dbname"],
    )
    role = f"hot_worker_{time.monotonic_ns()}"
    server.psql("-c", f"create role {role} login", dbname=name)
    server.psql("-c", f"select pgagent.grant_access('{role}', 'worker')", dbname=name)
    before, _ = updates(pgagent_dsn)
    with psycopg.connect(server.dsn(name, role), autocommit=True) as worker:
        for n in range(60):
            run(worker, n)
    made, hot = updates(pgagent_dsn)
    assert made - before > 60 * 8
    assert made == hot


def run(worker: psycopg.Connection, n: int) -> None:
    """A job with a little of everything: messages, events, checkpoints, writes, usage, the end."""
    worker.execute("select * from pgagent.enqueue_job('t', '{}')")
    job = worker.execute(
        "select job_id, fencing_token from pgagent.claim_job(worker => 'w1')"
    ).fetchone()
    assert job is not None
    job_id, token = job
    worker.execute("select * from pgagent.append_message('t', 'user', '\"hello\"')")
    for step in range(3):
        header = {
            "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": f"{n:04}-{step}",
            "parent_checkpoint_id": None, "seen_token": None, "inline": None, "channels": [],
            "checkpoint": {"v": 4}, "metadata": {"source": "loop", "step": n * 3 + step},
        }  # fmt: skip
        worker.execute("select pgagent.put_checkpoint(%s, '', %s)", (json.dumps(header), token))
        worker.execute(
            "select * from pgagent.append_message('t', 'assistant', '\"hi\"', %s)", (token,)
        )
    worker.execute("select * from pgagent.append_event('t', 'noted', '{}', %s)", (token,))
    worker.execute("select * from pgagent.renew_lease(%s, %s)", (job_id, token))
    worker.execute("select * from pgagent.complete_job(%s, %s)", (job_id, token))


def updates(dsn: str) -> tuple[int, int]:
    """Return how many updates the session table has seen, and how many of them were heap-only."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        deadline = time.monotonic() + 10
        seen = (-1, -1)
        while time.monotonic() < deadline:  # sessions report what they did when they end
            row = connection.execute("""
                select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables
                where relid = 'pgagent.agent_sessions'::regclass
            """).fetchone()
            assert row is not None
            if row == seen:
                return row
            seen = row
            time.sleep(0.3)
    raise AssertionError("the statistics do not settle")
