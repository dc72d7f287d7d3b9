"""Limits of a queue hold whatever runs at once."""

import threading
import time

import psycopg
import pytest

WORKERS = 8
LIMIT = 3
PER_USER = 2
JOBS = 160


@pytest.mark.timeout(120)
@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
def test_eight_workers_never_run_more_than_three(pgagent_dsn: str, isolation: str) -> None:
    """Nor more than two of one owner; every job runs in the end; nobody waits for a lock."""
    most = {"all": 0, "owner": 0}
    stop = threading.Event()
    failures: list[str] = []
    with psycopg.connect(pgagent_dsn, autocommit=True) as owner:
        for n in range(JOBS):
            owner.execute("select pgagent.create_session(%s, %s)", (f"t{n}", f"u{n % 3}"))
            owner.execute("select from pgagent.enqueue_job(%s, '{}')", (f"t{n}",))
        owner.execute("select pgagent.limit_queue('default', %s, %s)", (LIMIT, PER_USER))

        def work(number: int) -> None:
            with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
                connection.execute(f"set default_transaction_isolation = '{isolation}'")  # type: ignore[arg-type]
                while not stop.is_set():
                    try:
                        row = connection.execute(
                            "select job_id, fencing_token from pgagent.claim_job(%s)",
                            (f"w{number}",),
                        ).fetchone()
                        if row is None:
                            time.sleep(0.01)
                            continue
                        time.sleep(0.005)
                        connection.execute("select pgagent.complete_job(%s, %s)", row)
                    except psycopg.errors.SerializationFailure:
                        if isolation == "read committed":
                            raise
                    except psycopg.Error as error:
                        failures.append(repr(error))
                        return

        def watch() -> None:
            with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
                while not stop.is_set():
                    row = connection.execute(
                        "select coalesce(sum(n), 0), coalesce(max(n), 0) from ("
                        "  select count(*) as n from pgagent.agent_jobs as j"
                        "  join pgagent.agent_sessions as s using (thread_id)"
                        "  where j.status = 'IN_PROGRESS' group by s.user_id) as r"
                    ).fetchone()
                    assert row
                    most["all"] = max(most["all"], int(row[0]))
                    most["owner"] = max(most["owner"], int(row[1]))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(WORKERS)]
        threads.append(threading.Thread(target=watch))
        for thread in threads:
            thread.start()
        end = time.monotonic() + 90
        while time.monotonic() < end and not failures:
            left = owner.execute(
                "select count(*) from pgagent.agent_jobs where status <> 'COMPLETED'"
            ).fetchone()
            if left == (0,):
                break
            time.sleep(0.1)
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures
        assert left == (0,)
        assert most["all"] == LIMIT, most
        assert most["owner"] <= PER_USER, most
