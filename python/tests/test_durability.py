"""What was acknowledged survives a crash of the server; what was not leaves nothing."""

from collections.abc import Iterator

import psycopg
import pytest

from pgagent import install
from pgagent.embedded import Server

TRANSITIONS = 50


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that may be killed, and that waits for its disk as a real one does."""
    with Server() as server:
        install.install(server.dsn("postgres"))
        yield server


def work(connection: psycopg.Connection, number: int) -> None:
    """A job from end to end with everything it writes."""
    thread = f"thread-{number}"
    connection.execute("select pgagent.start_run(%s, 'w1')", (thread,))
    connection.execute("select pgagent.append_message(%s, 'assistant', '1', 1)", (thread,))
    connection.execute("select pgagent.append_event(%s, 'step', null, 1)", (thread,))
    connection.execute("select pgagent.record_usage(%s, 'u', 1, fencing_token => 1)", (thread,))
    connection.execute(
        "select pgagent.complete_job(job_id, 1) from pgagent.agent_jobs where thread_id = %s",
        (thread,),
    )


def counts(server: Server) -> list[int]:
    tables = ("agent_sessions", "session_messages", "usage_records", "job_attempts")
    with psycopg.connect(server.dsn("postgres")) as connection:
        return [
            connection.execute(f"select count(*) from pgagent.{table}").fetchone()[0]  # type: ignore[index]
            for table in tables
        ]


def test_every_acknowledged_transition_survives_a_crash_of_the_server(server: Server) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        for number in range(TRANSITIONS):
            work(connection, number)
        server.restart("immediate")
    assert counts(server) == [TRANSITIONS] * 4
    with psycopg.connect(server.dsn("postgres")) as connection:
        states = connection.execute(
            "select status, count(*) from pgagent.agent_jobs group by status"
        ).fetchall()
    assert states == [("COMPLETED", TRANSITIONS)]


def test_a_transaction_that_was_not_acknowledged_leaves_nothing(server: Server) -> None:
    with (
        psycopg.connect(server.dsn("postgres"), autocommit=True) as other,
        psycopg.connect(server.dsn("postgres")) as connection,
    ):
        work(connection, 1)
        other.execute("select pg_terminate_backend(%s)", (connection.info.backend_pid,))
        with pytest.raises(psycopg.OperationalError):
            connection.commit()
    assert counts(server) == [0] * 4
