"""Many connections at once: what the isolation specs show with two, with as many as there are."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import psycopg
import pytest

WRITERS = 8


def together(dsn: str, work: Callable[[int, psycopg.Connection], Any], many: int) -> list[Any]:
    """Let so many connections begin at the same moment; their results, or the first error."""
    start = threading.Barrier(many)

    def run(number: int) -> Any:
        with psycopg.connect(dsn, autocommit=True) as connection:
            start.wait()
            return work(number, connection)

    with ThreadPoolExecutor(many) as pool:
        return list(pool.map(run, range(many)))


def fetch(dsn: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(query).fetchall()


def test_eight_writers_number_one_thread_without_a_gap(pgagent_dsn: str) -> None:
    fetch(pgagent_dsn, "select pgagent.create_session('t')")

    def write(_: int, connection: psycopg.Connection) -> list[int]:
        query = "select seq from pgagent.append_message('t', 'user', '1')"
        return [connection.execute(query).fetchone()[0] for _ in range(50)]  # type: ignore[index]

    numbers = together(pgagent_dsn, write, WRITERS)
    assert sorted(chain.from_iterable(numbers)) == list(range(1, 401))
    assert all(own == sorted(own) for own in numbers)


def test_fifty_appends_at_once_all_succeed(pgagent_dsn: str) -> None:
    fetch(pgagent_dsn, "select pgagent.create_session('t')")

    def write(_: int, connection: psycopg.Connection) -> int:
        query = "select seq from pgagent.append_message('t', 'user', '1')"
        return connection.execute(query).fetchone()[0]  # type: ignore[index]

    assert sorted(together(pgagent_dsn, write, 50)) == list(range(1, 51))


def test_one_key_from_many_at_once_is_one_row(pgagent_dsn: str) -> None:
    fetch(pgagent_dsn, "select pgagent.create_session('t')")

    def write(_: int, connection: psycopg.Connection) -> tuple[Any, ...]:
        query = "select * from pgagent.append_message('t', 'user', '1', idempotency_key => 'k')"
        return connection.execute(query).fetchone()  # type: ignore[return-value]

    answers = together(pgagent_dsn, write, WRITERS)
    assert Counter(answers) == {(1, True): 1, (1, False): WRITERS - 1}


def test_one_key_from_many_at_once_is_one_job(pgagent_dsn: str) -> None:
    def enqueue(_: int, connection: psycopg.Connection) -> tuple[Any, ...]:
        query = "select job_id, enqueued from pgagent.enqueue_job('t', '1', idempotency_key => 'k')"
        return connection.execute(query).fetchone()  # type: ignore[return-value]

    answers = together(pgagent_dsn, enqueue, WRITERS)
    assert len({job for job, _ in answers}) == 1
    assert sum(enqueued for _, enqueued in answers) == 1


def test_one_call_of_a_tool_from_many_at_once_executes_once(pgagent_dsn: str) -> None:
    fetch(pgagent_dsn, "select pgagent.start_run('t', 'w1')")

    def call(_: int, connection: psycopg.Connection) -> str:
        query = "select action from pgagent.begin_tool_call('t', 'pay', 'k', fencing_token => 1)"
        return connection.execute(query).fetchone()[0]  # type: ignore[index]

    assert Counter(together(pgagent_dsn, call, WRITERS)) == {"execute": 1, "busy": WRITERS - 1}


@pytest.mark.parametrize("batch", [1, 7])
def test_eight_workers_share_five_hundred_jobs(pgagent_dsn: str, batch: int) -> None:
    """Five a thread: each is claimed once, and no two of a thread at the same time."""
    fetch(
        pgagent_dsn,
        "select pgagent.enqueue_job('thread-' || n % 100, to_jsonb(n)) "
        "from generate_series(1, 500) as n",
    )
    busy: Counter[str] = Counter()
    lock = threading.Lock()

    def work(number: int, connection: psycopg.Connection) -> list[Any]:
        done = []
        while jobs := connection.execute(
            "select job_id, thread_id, fencing_token from pgagent.claim_jobs(%s, max_jobs => %s)",
            (f"w{number}", batch),
        ).fetchall():
            for _, thread, _ in jobs:
                with lock:
                    busy[thread] += 1
                    assert busy[thread] == 1
            for job, thread, token in jobs:
                with lock:
                    busy[thread] -= 1
                connection.execute("select pgagent.complete_job(%s, %s)", (job, token))
                done.append(job)
        return done

    done = list(chain.from_iterable(together(pgagent_dsn, work, WRITERS)))
    # Who found nothing left while others still had the thread's next job went home early.
    left = fetch(pgagent_dsn, "select count(*) from pgagent.agent_jobs where status <> 'COMPLETED'")
    if left != [(0,)]:
        done += together(pgagent_dsn, work, 1)[0]
    assert len(done) == len(set(done)) == 500


def test_sixteen_threads_run_at_the_same_time(pgagent_dsn: str) -> None:
    fetch(
        pgagent_dsn,
        "select pgagent.enqueue_job('thread-' || n, '{}') from generate_series(1, 16) as n",
    )

    def claim(number: int, connection: psycopg.Connection) -> str | None:
        for _ in range(100):
            row = connection.execute(
                "select thread_id from pgagent.claim_job(%s)", (f"w{number}",)
            ).fetchone()
            if row:
                return row[0]
        return None

    assert len(set(together(pgagent_dsn, claim, 16)) - {None}) == 16
