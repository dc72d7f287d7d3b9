"""Who is compared: savers on one server, each in databases of its own."""

from __future__ import annotations

import itertools
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.graphs import Delta, Plain
from pgagent.install import install
from pgagent.saver import AsyncPgAgentSaver, PgAgentSaver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from langgraph.checkpoint.base import BaseCheckpointSaver

    from pgagent.embedded import Server

Kind = Literal["stock", "delta", "memory", "ours"]

LABELS: dict[str, str] = {
    "stock": "PostgresSaver",
    "delta": "PostgresSaver, graph with DeltaChannel",
    "memory": "InMemorySaver",
    "ours": "pgagent",
    "named": "pgagent, named statements",
}
ROLE = "bench"
"""What everybody connects as: no superuser. Owner of the stock tables; for ours a worker."""

_SIZES = """
select
  c.relname, pg_table_size(c.oid) - t.bytes, t.bytes, pg_indexes_size(c.oid)
from pg_catalog.pg_class as c
cross join lateral (
  select coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) as bytes
) as t
where c.relkind = 'r' and c.relname = any(array[{tables}])
order by 1
"""
_TABLES = {
    "stock": ["checkpoints", "checkpoint_blobs", "checkpoint_writes"],
    "ours": [
        "agent_sessions",
        "session_data",
        "checkpoints",
        "checkpoint_blobs",
        "checkpoint_items",
        "checkpoint_writes",
    ],
}


@dataclass
class Contender:
    """A saver, and where it stores."""

    kind: Kind
    key: str
    server: Server
    database: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> type:
        """The state of the graph that it runs."""
        return Delta if self.kind == "delta" else Plain

    @property
    def dsn(self) -> str:
        """Where it stores, as the role of the benchmark."""
        return self.server.dsn(self.database, ROLE)

    def saver(self, dsn: str | None = None) -> AbstractContextManager[BaseCheckpointSaver[Any]]:
        """The saver as its documentation makes it."""
        match self.kind:
            case "memory":
                return nullcontext(InMemorySaver())
            case "ours":
                return PgAgentSaver.from_conn_string(dsn or self.dsn, **self.options)
        return PostgresSaver.from_conn_string(dsn or self.dsn)

    def async_saver(self, pool: AsyncConnectionPool[Any]) -> BaseCheckpointSaver[Any]:
        """The async saver over a pool."""
        return AsyncPgAgentSaver(pool) if self.kind == "ours" else AsyncPostgresSaver(pool)

    def pool(self, dsn: str, size: int) -> AsyncConnectionPool[Any]:
        """A pool with the connections that its documentation asks for."""
        kwargs: dict[str, Any] = (
            {"autocommit": True, "prepare_threshold": None}
            if self.kind == "ours"
            else {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        )
        return AsyncConnectionPool(dsn, min_size=size, max_size=size, open=False, kwargs=kwargs)


class Stage:
    """One server; makes contenders and databases for them."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        server.psql("-c", f"create role {ROLE} login")
        self._templates = {
            "stock": self._database("template0", owner=ROLE),
            "ours": self._database("template0"),
        }
        with PostgresSaver.from_conn_string(server.dsn(self._templates["stock"], ROLE)) as saver:
            saver.setup()
        install(server.dsn(self._templates["ours"]))
        server.psql(
            *("-c", f"select from pgagent.grant_access('{ROLE}', 'worker')"),
            dbname=self._templates["ours"],
        )

    @contextmanager
    def contenders(self, *keys: str) -> Iterator[list[Contender]]:
        """Contenders with a fresh database each, which goes at the end."""
        made = [self._contender(key) for key in keys]
        try:
            yield made
        finally:
            for contender in made:
                if contender.database:
                    self.server.psql("-c", f"drop database {contender.database} with (force)")

    def _contender(self, key: str) -> Contender:
        match key:
            case "memory":
                return Contender("memory", key, self.server)
            case "stock" | "delta":
                database = self._database(self._templates["stock"], owner=ROLE)
                return Contender(key, key, self.server, database)
        options = {"kwargs": {"prepare_threshold": 0}} if key == "named" else {}
        database = self._database(self._templates["ours"])
        return Contender("ours", key, self.server, database, options)

    def sizes(self, contender: Contender) -> dict[str, int]:
        """Bytes on disk of a contender's tables, by table and part, after a vacuum."""
        tables = _TABLES["ours" if contender.kind == "ours" else "stock"]
        query = _SIZES.format(tables=", ".join(f"'{table}'" for table in tables))
        rows = self.server.psql("-c", "vacuum analyze", "-c", query, dbname=contender.database)
        sizes: dict[str, int] = {}
        for row in rows.splitlines():
            table, *parts = row.split("|")
            for part, size in zip(("rows", "long values", "indexes"), parts, strict=True):
                sizes[f"{table}, {part}"] = int(size)
        return sizes

    def wal(self) -> int:
        """Bytes of write-ahead log that the server has written so far."""
        return int(self.server.psql("-c", "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))

    def _database(self, template: str, owner: str = "postgres") -> str:
        name = f"bench_{next(self._numbers)}"
        self.server.psql("-c", f"create database {name} template {template} owner {owner}")
        return name
