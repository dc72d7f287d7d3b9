"""Writes the golden file of this version: in ``python/tests``, ``python -m support.make_golden``.

What was released is never written again: it stands for what users have.
"""

from __future__ import annotations

import json
from importlib.metadata import version

import psycopg

from pgagent.saver import flights
from pgagent.testing import Databases, Server
from support.golden import DATA, dump, saver_on, store

PACKAGES = ("pgagent-langgraph", "langgraph", "langgraph-checkpoint", "langchain-core")


def main() -> None:
    """Store the threads with a server of its own, and write the file."""
    ours = version("pgagent-langgraph")
    changes = (DATA.parents[2] / "CHANGELOG.md").read_text()
    if f"## [{ours}] - unreleased" not in changes:
        raise SystemExit(f"{ours} was released: its file stays as it is")
    flights.UNKNOWN_SECONDS = 0
    with Server(fsync=False) as server:
        dsn = server.dsn(Databases(server).make())
        with psycopg.connect(dsn, autocommit=True) as conn:
            store(saver_on(conn))
            tables = dump(conn)
    made = {"written by": {name: version(name) for name in PACKAGES}, "tables": tables}
    path = DATA / f"golden-{ours}.json"
    path.write_text(json.dumps(made, indent=0) + "\n")
    print(path)


if __name__ == "__main__":
    main()
