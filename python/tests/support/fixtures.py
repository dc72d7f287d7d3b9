"""Fixtures of the tests of savers, workers and tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from pgagent.testing import Clock, Server
from support.stage import Stage

WORKER = "agent_worker"


@pytest.fixture(scope="session")
def worker_role(pgagent_server: Server) -> str:
    """A role that may do what workers do, in databases that grant it."""
    pgagent_server.psql("-c", f"create role {WORKER} login")
    return WORKER


@pytest.fixture
def owner(pgagent_dsn: str, worker_role: str) -> Iterator[Connection[Any]]:
    """The owner's connection to the test's database, in autocommit mode."""
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        connection.execute("select pgagent.grant_access(%s, 'worker')", (worker_role,))
        yield connection


@pytest.fixture
def worker_dsn(owner: Connection[Any], pgagent_server: Server, worker_role: str) -> str:
    """The test's database, as a role that was given access as a worker."""
    return pgagent_server.dsn(owner.info.dbname, user=worker_role)


@pytest.fixture
def stage(worker_dsn: str, owner: Connection[Any], pgagent_clock: Clock, tmp_path: Path) -> Stage:
    return Stage(worker_dsn, owner, pgagent_clock, tmp_path)


@pytest.fixture(params=["threads", "tasks"])
def kind(stage: Stage, request: pytest.FixtureRequest) -> None:
    """Workers of the stage of either kind."""
    stage.is_async = request.param == "tasks"
