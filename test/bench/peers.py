"""Who is compared: queues on one server, each as its own package installs it.

pgmq's wheel carries its SQL, absurd's command absurdctl does; procrastinate and pgqueuer install by
their own code. Everybody connects as a role that is no superuser: owner of its own tables, and for
pgagent a worker. Each job is enqueued in a transaction of its own.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from pgagent.install import install

if TYPE_CHECKING:
    from pgagent.embedded import Server

SCRIPTS = Path(__file__).parent / "queues"
ROLE = "bench"
PACKAGES = {
    "pgmq": "pgmq",
    "absurd": "absurdctl",
    "procrastinate": "procrastinate",
    "pgqueuer": "pgqueuer",
}
LABELS = {
    "pgagent": "pgagent",
    "pgmq": "pgmq, read and archive",
    "absurd": "absurd",
    "procrastinate": "procrastinate",
    "pgqueuer": "pgqueuer",
}
_ENQUEUE = {
    "pgagent": "perform pgagent.enqueue_job('t' || n, '{\"n\": 1}')",
    "pgmq": "perform pgmq.send('q', '{\"n\": 1}')",
    "absurd": "perform absurd.spawn_task('q', 'noop', '{\"n\": 1}')",
    "procrastinate": (
        "insert into procrastinate_jobs (queue_name, task_name, lock, args) "
        "values ('q', 'noop', 't' || n, '{\"n\": 1}')"
    ),
}
_BULK = {
    "pgmq": (
        "select count(*) from pgmq.send_batch("
        "'q', array(select '{\"n\": 1}'::jsonb from generate_series(1, %d)))"
    )
}


@dataclass
class Peer:
    """A queue in a database of its own."""

    key: str
    server: Server
    database: str
    threads: int = field(default=0)

    @property
    def dsn(self) -> str:
        """Where it is, as the role of the benchmark."""
        return self.server.dsn(self.database, ROLE)

    @property
    def script(self) -> Path:
        """One job, claimed and completed, for pgbench."""
        return SCRIPTS / f"{self.key}.sql"

    def fill(self, jobs: int) -> None:
        """Enqueue jobs, each on a thread of its own and in a transaction of its own."""
        if self.key == "pgmq":
            self.server.psql("-c", _BULK["pgmq"] % jobs, dbname=self.database, user=ROLE)
        else:
            first = self.threads + 1
            self.threads += jobs
            body = (
                f"do $$ begin for n in {first}..{self.threads} loop {_ENQUEUE[self.key]}; commit; "
                "end loop; end $$"
            )
            self.server.psql(
                *("-c", "set synchronous_commit = off", "-c", body),
                dbname=self.database, user=ROLE,
            )  # fmt: skip
        self.server.psql("-c", "vacuum analyze", "-c", "checkpoint", dbname=self.database)

    def bulk(self, threads: int, each: int = 1, status: str = "PENDING") -> None:
        """Put jobs of pgagent into its tables by the hundred thousand."""
        self.server.psql(
            *("-v", f"threads={threads}", "-v", f"each={each}", "-v", f"status={status}"),
            *("-f", str(SCRIPTS / "bulk.sql")),
            dbname=self.database,
        )


class Stage:
    """One server; makes peers and databases for them."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        server.psql("-c", f"create role {ROLE} login")

    def peer(self, key: str) -> Peer:
        """A queue, installed and empty."""
        name = f"queue_{next(self._numbers)}"
        owner = "postgres" if key == "pgagent" else ROLE
        self.server.psql("-c", f"create database {name} owner {owner}")
        peer = Peer(key, self.server, name)
        match key:
            case "pgagent":
                install(self.server.dsn(name))
                self.server.psql(
                    *("-c", f"select from pgagent.grant_access('{ROLE}', 'worker')"), dbname=name
                )
            case "pgmq":
                self._run(peer, (files("pgmq") / "sql" / "pgmq.sql").read_text())
                self._run(peer, "select pgmq.create('q')")
            case "absurd":
                import absurdctl

                self._run(peer, absurdctl.BUNDLED_SCHEMA_SQL)
                self._run(peer, "select absurd.create_queue('q')")
            case "procrastinate":
                self._run(peer, (files("procrastinate") / "sql" / "schema.sql").read_text())
            case "pgqueuer":
                asyncio.run(_install_pgqueuer(peer.dsn))
        return peer

    def drop(self, *peers: Peer) -> None:
        """Remove databases."""
        for peer in peers:
            self.server.psql("-c", f"drop database if exists {peer.database} with (force)")

    def _run(self, peer: Peer, sql: str) -> None:
        self.server.psql(dbname=peer.database, user=ROLE, text=sql)


async def _install_pgqueuer(dsn: str) -> None:
    from pgqueuer.db import PsycopgDriver
    from pgqueuer.queries import Queries

    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        await Queries(PsycopgDriver(connection)).install()


def versions() -> dict[str, str]:
    """The packages that were measured."""
    return {package: version(package) for package in PACKAGES.values()}
