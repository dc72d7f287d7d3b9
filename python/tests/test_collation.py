"""Ids sort as text by bytes, whatever the collation of the database."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import Connection

from pgagent import install
from pgagent.embedded import Server

# By bytes, capitals come first and a hyphen counts; in English neither.
IDS = ["B-1", "B1", "a-2", "a1", "b"]


@pytest.fixture
def connection(installed_server: Server) -> Iterator[Connection]:
    """A database that sorts as English does."""
    installed_server.psql(
        "-c",
        "create database english template template0 locale_provider icu icu_locale 'en-US'",
    )
    dsn = installed_server.dsn("english")
    install.install(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection
    installed_server.psql("-c", "drop database english with (force)")


def test_the_database_sorts_otherwise(connection: Connection) -> None:
    rows = connection.execute("select u from unnest(%s::text[]) as u order by u", (IDS,)).fetchall()
    assert [row[0] for row in rows] != IDS


@pytest.mark.parametrize(
    ("make", "table", "column"),
    [
        ("select pgagent.create_session(%s)", "agent_sessions", "thread_id"),
        (
            "select pgagent.put_checkpoint(jsonb_build_object('thread_id', 't', 'checkpoint_ns', "
            "'', 'checkpoint_id', %s::text, 'checkpoint', '{}'::jsonb, 'metadata', '{}'::jsonb, "
            "'channels', '[]'::jsonb))",
            "checkpoints",
            "checkpoint_id",
        ),
        (
            "select pgagent.put_writes(jsonb_build_object('thread_id', 't', 'checkpoint_ns', '', "
            "'checkpoint_id', 'c', 'task_id', %s::text, 'writes', '[{\"idx\": 0, \"channel\": "
            '"a", "type": "t", "offset": 0, "length": 0}]\'::jsonb))',
            "checkpoint_writes",
            "task_id",
        ),
    ],
)
def test_ids_sort_by_bytes(connection: Connection, make: str, table: str, column: str) -> None:
    for id_ in reversed(IDS):
        connection.execute(make, (id_,))
    rows = connection.execute(f"select {column} from pgagent.{table} order by {column}").fetchall()
    assert [row[0] for row in rows] == IDS


def test_writes_are_read_in_the_order_of_bytes(connection: Connection) -> None:
    connection.execute(
        'select pgagent.put_checkpoint(\'{"thread_id": "t", "checkpoint_ns": "", '
        '"checkpoint_id": "c", "checkpoint": {}, "metadata": {}, "channels": []}\')'
    )
    for path in reversed(IDS):
        connection.execute(
            "select pgagent.put_writes(jsonb_build_object('thread_id', 't', 'checkpoint_ns', '', "
            "'checkpoint_id', 'c', 'task_id', %s::text, 'task_path', %s::text, 'writes', "
            '\'[{"idx": 0, "channel": "a", "type": "t", "offset": 0, "length": 0}]\'::jsonb))',
            (path, path),
        )
    rows = connection.execute(
        "select task_path from pgagent.get_checkpoint('t') where kind = 'write'"
    ).fetchall()
    assert [row[0] for row in rows] == IDS
