"""What claims and completions cost, in the server: measured with pgbench."""

from __future__ import annotations

import json
import re
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from bench.peers import ROLE, SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.peers import Peer, Stage

CLIENTS = 4
_TPS = re.compile(r"^tps = ([\d.]+)", re.MULTILINE)
_PROGRESS = re.compile(r"^progress: ([\d.]+) s, ([\d.]+) tps", re.MULTILINE)
# Jobs that nobody exceeds in a second, so that no queue runs dry.
MOST = {"pgagent": 4_000, "pgmq": 8_000, "absurd": 1_500, "procrastinate": 2_500}


class Pgbench(RuntimeError):
    """pgbench failed: a queue ran dry, or a call did."""


def pgbench(peer: Peer, *limit: str, script: Path | None = None) -> str:
    """Run a script with four clients and prepared statements; what pgbench printed."""
    done = subprocess.run(
        [
            *(peer.server.bin("pgbench"), "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2"),
            *(*limit, "-f", str(script or peer.script), peer.dsn),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Pgbench(f"{peer.key}: {done.stderr[-2000:]}")
    return done.stdout + done.stderr


def lasting(seconds: float) -> tuple[str, str]:
    """The option of pgbench that ends it after so long."""
    return "-T", str(max(round(seconds), 1))


def rate(peer: Peer, *limit: str, script: Path | None = None) -> float:
    """Transactions a second."""
    found = _TPS.search(pgbench(peer, *limit, script=script))
    assert found
    return float(found[1])


def single(stage: Stage, keys: Sequence[str], rounds: int, seconds: float) -> dict[str, Any]:
    """Claim and complete, one by one, taking turns; and pgagent in batches of fifty."""
    peers = [stage.peer(key) for key in keys]
    for peer in peers:
        peer.fill(int(MOST[peer.key] * seconds * rounds))
    batch = stage.peer("pgagent")
    batch.fill(int(4 * MOST["pgagent"] * seconds * rounds))
    rates: dict[str, list[float]] = {key: [] for key in keys}
    batches = []
    for turn in range(rounds):
        for peer in peers[turn % len(peers) :] + peers[: turn % len(peers)]:
            rates[peer.key].append(rate(peer, *lasting(seconds)))
        many = rate(batch, *lasting(seconds), script=SCRIPTS / "pgagent_batch.sql")
        batches.append(50 * many)
    stage.drop(batch, *peers)
    return {"clients": CLIENTS, "rates": rates, "batches": batches}


def short(stage: Stage, keys: Sequence[str], rounds: int, jobs: int) -> dict[str, Any]:
    """Claim and complete from a short queue until it is empty, one by one, taking turns."""
    rates: dict[str, list[float]] = {key: [] for key in keys}
    for turn in range(rounds):
        for key in [*keys[turn % len(keys) :], *keys[: turn % len(keys)]]:
            peer = stage.peer(key)
            peer.fill(jobs)
            rates[key].append(rate(peer, "-t", str(jobs // CLIENTS)))
            stage.drop(peer)
    return {"jobs": jobs, "rates": rates}


def backlog(stage: Stage, small: int, large: int, rounds: int, seconds: float) -> dict[str, Any]:
    """The rate with ten ready jobs in each of few and of many threads."""
    peers = {}
    for threads in (small, large):
        peers[threads] = stage.peer("pgagent")
        peers[threads].bulk(threads, 10)
    rates: dict[str, list[float]] = {str(threads): [] for threads in peers}
    for _ in range(rounds):
        for threads, peer in peers.items():
            rates[str(threads)].append(rate(peer, *lasting(seconds)))
    stage.drop(*peers.values())
    return {"rates": rates, "small": small, "large": large}


def held(stage: Stage, seconds: int) -> dict[str, Any]:
    """The rate while a snapshot is held, each ten seconds; and what claims read in the end."""
    figures: dict[str, Any] = {"seconds": seconds, "without": {}, "rates": {}}
    last = max(min(60, seconds // 3), 1)
    for key in ("pgagent", "pgmq"):
        peer = stage.peer(key)
        jobs = int(MOST[key] * (seconds + last))
        if key == "pgagent":
            peer.bulk(jobs)
        else:
            peer.fill(jobs)
        figures["without"][key] = rate(peer, *lasting(last))
        with snapshot(peer):
            step = 10 if seconds >= 60 else 1
            progress = _PROGRESS.findall(pgbench(peer, *lasting(seconds), "-P", str(step)))
            figures["rates"][key] = [(float(at), float(tps)) for at, tps in progress]
            if key == "pgagent":
                figures["dead"] = dead_rows(peer)
                figures["buffers"] = claim_buffers(peer, 100)
        stage.drop(peer)
    figures["last"] = last
    return figures


def finished(stage: Stage, jobs: int) -> dict[str, Any]:
    """What a claim reads beside jobs that have ended."""
    peer = stage.peer("pgagent")
    peer.bulk(jobs, 1, "COMPLETED")
    peer.fill(50)
    figures = {
        "jobs": jobs,
        "call": claim_buffers(peer, 20),
        "select": select_buffers(peer),
    }
    stage.drop(peer)
    return figures


def enqueue(stage: Stage, rounds: int, batch: int = 1_000) -> dict[str, Any] | None:
    """Jobs a second in batches: on new sessions with keys, and on threads that exist."""
    peer = stage.peer("pgagent")
    new, old = [], []
    with psycopg.connect(peer.dsn, autocommit=True) as connection:
        found = connection.execute("select to_regproc('pgagent.enqueue_jobs')").fetchone()
        if found == (None,):
            stage.drop(peer)
            return None
        for turn in range(10 * rounds):
            for rates, keyed in ((new, True), (old, False)):
                jobs = [
                    {"thread_id": f"e{turn}-{n}", "payload": {"n": n}}
                    | ({"idempotency_key": f"k{n}"} if keyed else {})
                    for n in range(batch)
                ]
                text = json.dumps(jobs)
                begun = time.perf_counter()
                connection.execute("select count(*) from pgagent.enqueue_jobs(%s::jsonb)", (text,))
                rates.append(batch / (time.perf_counter() - begun))
    stage.drop(peer)
    return {"batch": batch, "new": new, "existing": old}


@contextmanager
def snapshot(peer: Peer) -> Iterator[None]:
    """Hold a snapshot: what dies meanwhile is not removed."""
    with psycopg.connect(peer.server.dsn(peer.database)) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select count(*) from pg_class")
        yield


def dead_rows(peer: Peer) -> int:
    """Rows that vacuum may not remove yet, in the table of jobs."""
    done = peer.server.psql(
        *("-c", "select pg_stat_force_next_flush()"),
        *("-c", "select n_dead_tup from pg_stat_user_tables where relname = 'agent_jobs'"),
        dbname=peer.database,
    )
    return int(done.split()[-1])


def claim_buffers(peer: Peer, claims: int) -> list[int]:
    """Buffers of whole calls of claim_job in one session, after its first."""
    with psycopg.connect(peer.dsn, autocommit=True) as connection:
        connection.execute("select from pgagent.claim_job('w1')")
        return [_buffers(connection) for _ in range(claims)]


def _buffers(connection: psycopg.Connection) -> int:
    explained = (
        "explain (analyze, buffers, timing off, format json) select from pgagent.claim_job('w1')"
    )
    row = connection.execute(explained).fetchone()
    assert row
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def select_buffers(peer: Peer) -> list[int]:
    """Buffers of the part of a claim that finds and locks the job, from its own plan."""
    found: list[int] = []

    def read(notice: psycopg.errors.Diagnostic) -> None:
        text = notice.message_primary or ""
        if '"Subplan Name": "CTE due"' in text:
            plan = json.loads(text[text.index("{") :])
            found.extend(_due(plan["Plan"]))

    with psycopg.connect(peer.server.dsn(peer.database), autocommit=True) as connection:
        connection.add_notice_handler(read)
        connection.execute("load 'auto_explain'")
        for setting in (
            "log_min_duration = 0", "log_nested_statements = on", "log_analyze = on",
            "log_buffers = on", "log_format = json", "log_timing = off",
        ):  # fmt: skip
            connection.execute(f"set auto_explain.{setting}")  # type: ignore[arg-type]
        connection.execute(f"set role {ROLE}")  # type: ignore[arg-type]
        connection.execute("select from pgagent.claim_job('w1')")
        connection.execute("set client_min_messages = log")
        found.clear()
        for _ in range(10):
            connection.execute("select from pgagent.claim_job('w1')")
    return found


def _due(plan: dict[str, Any]) -> Iterator[int]:
    if plan.get("Subplan Name") == "CTE due":
        yield plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    for inner in plan.get("Plans", ()):
        yield from _due(inner)
