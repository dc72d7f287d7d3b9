"""How many jobs a second `enqueue_jobs` takes, in batches of 1,000 under keys.

    PYTHONPATH=test .venv/bin/python -m bench.enqueue [--clients N] [--seconds S]

On a server of its own, fsync on, as a worker role. `by the server's CPU` is what one connection
takes when nothing else runs on its core: it does not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from pgagent.embedded import Server

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 1000
PAYLOAD = {"messages": [{"role": "user", "content": "What is the weather in Lyon today?"}]}


def batch(prefix: str, key: str) -> str:
    """A thousand jobs on as many threads, as JSON."""
    jobs = [
        {"thread_id": f"{prefix}-{n}", "payload": PAYLOAD, "idempotency_key": key}
        for n in range(BATCH)
    ]
    return json.dumps(jobs)


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def client(
    dsn: str, seconds: float, who: int, jobs: Callable[[int, int], str]
) -> tuple[float, float]:
    """Sends batches for so long; jobs a second, by the clock and by the server's CPU."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        pid = connection.info.backend_pid
        began, used = time.perf_counter(), cpu(pid)
        for n in itertools.count(1):
            connection.execute(
                "select count(*) from pgagent.enqueue_jobs(%s::jsonb)", (jobs(who, n),)
            )
            took = time.perf_counter() - began
            if took > seconds:
                return n * BATCH / took, n * BATCH / (cpu(pid) - used)
    raise AssertionError


def main() -> None:
    """Measures both kinds of batches and prints a line each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clients", type=int, default=2)
    options.add_argument("--seconds", type=float, default=10.0)
    chosen = options.parse_args()
    with Server() as server:
        with psycopg.connect(server.dsn(), autocommit=True) as owner:
            owner.execute("create extension pgagent")
            owner.execute("create role bench login")
            owner.execute("select pgagent.grant_access('bench', 'worker')")
        dsn = server.dsn(user="bench")
        kinds: dict[str, Callable[[int, int], str]] = {
            "on new threads": lambda who, n: batch(f"new-{who}-{n}", "k"),
            "on existing threads": lambda who, n: batch(f"old-{who}", f"k{n}"),
        }
        for who in range(chosen.clients):
            client(dsn, 0, who, lambda who, n: batch(f"old-{who}", f"first-{n}"))
        with ThreadPoolExecutor(chosen.clients) as pool:
            for name, jobs in kinds.items():
                runs = [
                    pool.submit(client, dsn, chosen.seconds, who, jobs)
                    for who in range(chosen.clients)
                ]
                by_clock, by_cpu = zip(*(run.result() for run in runs), strict=True)
                print(
                    f"{name}: {sum(by_clock):,.0f} jobs/s with {chosen.clients} clients; "
                    f"{sum(by_cpu) / len(by_cpu):,.0f} jobs/s each by the server's CPU"
                )


if __name__ == "__main__":
    main()
