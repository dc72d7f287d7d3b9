"""pytest fixtures: ``pytest_plugins = ["pgagent.testing.fixtures"]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgagent.embedded import Server
from pgagent.testing.clock import Clock
from pgagent.testing.databases import Databases

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def pgagent_server() -> Iterator[Server]:
    """A PostgreSQL server of the test session's own, safe against kills of processes only."""
    with Server(fsync=False, settings={"max_connections": "200"}) as server:
        yield server


@pytest.fixture(scope="session")
def pgagent_databases(pgagent_server: Server) -> Databases:
    """What makes databases on that server."""
    return Databases(pgagent_server)


@pytest.fixture
def pgagent_dsn(pgagent_server: Server, pgagent_databases: Databases) -> Iterator[str]:
    """Connection string, as superuser, of a new database with pgagent in it."""
    name = pgagent_databases.make()
    yield pgagent_server.dsn(name)
    pgagent_databases.drop(name)


@pytest.fixture
def pgagent_clock(pgagent_dsn: str) -> Clock:
    """The clock of that database."""
    return Clock(pgagent_dsn)
