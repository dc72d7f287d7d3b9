"""The effects of tools, as an outside service would keep them.

A table without any unique key, in a schema of its own: it takes whatever it is sent, so that a call
that was made twice is there twice. One insert a call, in a transaction of its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from pgagent.demo.recording import Effect
from pgagent.tools import Receipt

_SCHEMA = """
create schema pgagent_demo;
create table pgagent_demo.effects (
  thread_id text not null,
  position integer not null,
  tool text not null,
  args jsonb not null,
  idempotency_key text not null,
  result text not null,
  made_at timestamptz not null default clock_timestamp()
);
"""


class Effects:
    """The ledger of effects.

    Every call is a connection of its own: a service that is down fails at once. One that answered
    late would let a worker act that has lost its job meanwhile.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def create(self, grantee: str) -> None:
        """Make the ledger, for a role to write to."""
        with self._connect() as connection:
            connection.execute(_SCHEMA)
            connection.execute(f'grant usage on schema pgagent_demo to "{grantee}"')
            connection.execute(f'grant select, insert on pgagent_demo.effects to "{grantee}"')

    def record(self, thread_id: str, effect: Effect, idempotency_key: str, result: str) -> None:
        """Make one effect: committed when this returns."""
        position, tool, args = effect
        with self._connect() as connection:
            connection.execute(
                "insert into pgagent_demo.effects "
                "(thread_id, position, tool, args, idempotency_key, result) "
                "values (%s, %s, %s, %s, %s, %s)",
                (thread_id, position, tool, Jsonb(args), idempotency_key, result),
            )

    def look_up(self, idempotency_key: str) -> Receipt | None:
        """Whether a call took effect that nobody has a receipt of."""
        with self._connect() as connection:
            row = connection.execute(
                "select result from pgagent_demo.effects where idempotency_key = %s",
                (idempotency_key,),
            ).fetchone()
        return None if row is None else Receipt(row[0])

    def by_thread(self) -> dict[str, list[Effect]]:
        """Return every effect of every thread, by position."""
        found: dict[str, list[Effect]] = defaultdict(list)
        with self._connect() as connection:
            for thread_id, *effect in connection.execute(
                "select thread_id, position, tool, args from pgagent_demo.effects order by 1, 2"
            ):
                found[thread_id].append((effect[0], effect[1], effect[2]))
        return found

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._dsn, autocommit=True)
