"""What the index on metadata costs a put, and what it spares a list: ``pgagentctl metadata-index``.

    test/bench/metadata_index.py [PUTS]

Puts checkpoints with the metadata of a LangGraph run, in batches with and without the index by
turns, on a server of its own that keeps its default settings; then lists by metadata. Prints the
median of the batches.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from statistics import median

import psycopg
from langgraph.checkpoint.base import empty_checkpoint
from psycopg import Connection

from pgagent import PgAgentSaver, install
from pgagent.embedded import Server

BATCHES = 8


def put(saver: PgAgentSaver, puts: int) -> None:
    """Puts checkpoints of ten threads."""
    for n in range(puts):
        config = {"configurable": {"thread_id": f"thread-{n % 10}", "checkpoint_ns": ""}}
        metadata = {
            "source": "loop", "step": n, "parents": {}, "customer": f"customer-{n % 1000}",
            "langgraph_version": "1.2", "run": str(uuid.uuid4()),
        }  # fmt: skip
        saver.put(config, empty_checkpoint(), metadata, {})


def wal(connection: Connection[object]) -> int:
    """Bytes of WAL written so far."""
    row = connection.execute("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    assert row is not None
    return int(row[0])


def measured(connection: Connection[object], work: Callable[[], object]) -> tuple[float, int]:
    """Milliseconds and bytes of WAL of a piece of work."""
    bytes_, began = wal(connection), time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000, wal(connection) - bytes_


def main() -> int:
    """Runs it; the exit code."""
    puts = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    size = puts // BATCHES
    found: dict[str, list[tuple[float, int]]] = defaultdict(list)
    listed: dict[str, float] = {}
    with Server() as server:
        install.install(server.dsn())
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            saver = PgAgentSaver(connection)
            put(saver, 200)
            for _ in range(BATCHES // 2):
                for kind in ("without", "with"):
                    if kind == "with":
                        for statement in saver.client.enable_metadata_index():
                            connection.execute(statement)
                    else:
                        connection.execute("drop index if exists pgagent.checkpoints_metadata_idx")
                    connection.execute("checkpoint")
                    found[kind].append(measured(connection, lambda: put(saver, size)))
            for kind in ("with", "without"):
                if kind == "without":
                    connection.execute("drop index pgagent.checkpoints_metadata_idx")
                connection.execute("vacuum analyze pgagent.checkpoints")
                times = [
                    measured(
                        connection,
                        lambda: list(saver.list(None, filter={"customer": "customer-7"}, limit=5)),
                    )[0]
                    for _ in range(15)
                ]
                listed[kind] = median(times)
    for kind in ("without", "with"):
        print(
            f"{kind:<8}index: {median(t for t, _ in found[kind]) / size:.3f} ms and "
            f"{median(b for _, b in found[kind]) / size:.0f} bytes of WAL a put; "
            f"{listed[kind]:.2f} ms a list of five by metadata, of {puts} checkpoints"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
