"""What claims read, where one transaction cannot show it: beside a held snapshot, and with plans
that were made when nothing was there. Buffers, not milliseconds."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from pgagent.testing import Databases

READY = 60
DEAD = 100_000


@contextmanager
def worker(databases: Databases, dsn: str) -> Iterator[psycopg.Connection]:
    """A connection of a role with the access of a worker."""
    name = psycopg.conninfo.conninfo_to_dict(dsn)["dbname"]
    role = f"claim_cost_{name}"
    databases.server.psql(
        *("-c", f"create role {role} login"),
        *("-c", f"select pgagent.grant_access('{role}', 'worker')"),
        dbname=str(name),
    )
    with psycopg.connect(databases.server.dsn(str(name), role), autocommit=True) as connection:
        yield connection
    databases.server.psql("-c", f"drop owned by {role}", dbname=str(name))
    databases.server.psql("-c", f"drop role {role}", dbname=str(name))


def buffers(connection: psycopg.Connection, call: str) -> int:
    """Shared buffers that a call touches, whatever it does inside."""
    row = connection.execute(f"explain (analyze, buffers, format json) select {call}").fetchone()
    assert row
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def bulk(connection: psycopg.Connection, jobs: int, status: str = "PENDING") -> None:
    """Jobs as enqueue_job leaves them, each on a thread of its own."""
    with connection.transaction():
        connection.execute("set local session_replication_role = replica")
        connection.execute(
            "insert into pgagent.agent_jobs (job_id, thread_id, seq, queue, payload, status, "
            "available_at, completed_at) select gen_random_uuid(), 'bulk-' || n, 1, 'default', "
            "'{}', %s, now() - interval '1 hour' + n * interval '1 ms', "
            "case when %s = 'COMPLETED' then now() end from generate_series(1, %s) as n",
            (status, status, jobs),
        )
        connection.execute(
            "insert into pgagent.agent_sessions (thread_id, active_job_id) "
            "select thread_id, case when status = 'PENDING' then job_id end "
            "from pgagent.agent_jobs where thread_id like 'bulk-%'"
        )


@pytest.mark.timeout(300)
def test_a_claim_walks_past_no_dead_row_while_a_snapshot_is_held(
    pgagent_dsn: str, pgagent_databases: Databases
) -> None:
    """99 of 100 claims read less than 200 buffers; looks from the start read all that is dead."""
    with (
        psycopg.connect(pgagent_dsn, autocommit=True) as owner,
        psycopg.connect(pgagent_dsn) as reader,
        worker(pgagent_databases, pgagent_dsn) as connection,
    ):
        bulk(owner, DEAD)
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("select count(*) from pgagent.agent_jobs")
        with owner.transaction():
            owner.execute("set local session_replication_role = replica")
            owner.execute("update pgagent.agent_sessions set active_job_id = null")
            owner.execute("update pgagent.agent_jobs set status = 'FAILED', completed_at = now()")
        owner.execute("vacuum pgagent.agent_jobs")
        owner.execute(
            "select pgagent.enqueue_job('t' || n, '{}') from generate_series(1, 120) as n"
        )
        first = buffers(connection, "from pgagent.claim_job('w1')")
        assert first > DEAD / 100, f"{first}: a look from the start meets the dead"
        found = [buffers(connection, "from pgagent.claim_job('w1')") for _ in range(100)]
        assert sum(each < 200 for each in found) >= 99, sorted(found)[-5:]


@pytest.mark.timeout(300)
def test_plans_made_on_tables_that_were_vacuumed_while_empty_hold(
    pgagent_dsn: str, pgagent_databases: Databases
) -> None:
    """Claim, completion and reap look rows up, and walk through no index from end to end."""
    with (
        psycopg.connect(pgagent_dsn, autocommit=True) as owner,
        worker(pgagent_databases, pgagent_dsn) as connection,
    ):
        for table in ("agent_sessions", "agent_jobs", "job_attempts", "session_events"):
            owner.execute(f"alter table pgagent.{table} set (autovacuum_enabled = off)")
            owner.execute(f"vacuum analyze pgagent.{table}")
        nobody = "'00000000-0000-0000-0000-000000000000'"
        job = connection.execute("select job_id from pgagent.start_run('t0', 'w1')").fetchone()
        assert job
        connection.execute("select pgagent.complete_job(%s, 1)", job)
        connection.execute("select from pgagent.claim_job('w1')")
        with pytest.raises(psycopg.Error, match="no such job"):
            connection.execute(f"select pgagent.complete_job({nobody}, 1)")

        bulk(owner, DEAD, "COMPLETED")
        owner.execute("select pgagent.enqueue_job('t' || n, '{}') from generate_series(1, 3) as n")
        connection.execute("set pgagent._claims = ''")
        assert buffers(connection, "from pgagent.claim_job('w1')") < 200
        assert buffers(connection, "from pgagent.claim_job('w1')") < 100
        row = connection.execute(
            "select job_id from pgagent.agent_jobs where status = 'IN_PROGRESS' limit 1"
        ).fetchone()
        assert row
        assert buffers(connection, f"pgagent.complete_job('{row[0]}', 1)") < 100
