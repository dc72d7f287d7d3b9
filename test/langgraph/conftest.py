"""Stands in for the conftest of LangGraph's own suite: its fixtures, with our checkpointers.

Only the tests that take a checkpointer are run. ``harness/langgraph.py`` puts this file among them
and sets:

    PGAGENT_SERVER   connection string of a superuser
    PGAGENT_THROUGH  connection string of the way that the savers take: straight, or by a pooler
    PGAGENT_IDS      backwards: clients whose clock runs backwards make the ids of checkpoints
"""

import os
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from langgraph.cache.base import BaseCache
from langgraph.cache.memory import InMemoryCache
from langgraph.cache.sqlite import SqliteCache
from langgraph.checkpoint import base
from langgraph.checkpoint.base import id as ids
from langgraph.pregel import _checkpoint
from langgraph.store.memory import InMemoryStore
from psycopg.conninfo import make_conninfo

from pgagent import AsyncPgAgentSaver, PgAgentSaver, install

NO_DOCKER = True
ROLE = "t_worker"
BACKWARDS = os.environ.get("PGAGENT_IDS") == "backwards"
HAVE_THE_ORDER_OF_IDS = {
    "test_invoke_checkpoint_three",  # wants the id of a child above that of its parent
    "test_null_resume_disallowed_with_multiple_interrupts",  # uses a saver in memory
}
"""What fails when ids run backwards, whatever saver is tested."""

ALLOW = [("tests.test_interruption", "Decision"), ("tests.test_interruption", "DecisionData")]
"""Types that no state is annotated with: applications list them too."""

_TIME = (2**48 - 1) << 80 | (2**12 - 1) << 64
"""The bits of an id of version 6 that say when it was made."""


def backwards(node: int | None = None, clock_seq: int | None = None) -> ids.UUID:
    """An id below those that were made before it."""
    return ids.UUID(int=forwards(node, clock_seq).int ^ _TIME, version=6)


forwards = ids.uuid6
if BACKWARDS:
    for module in (ids, base, _checkpoint):
        module.uuid6 = backwards


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that use a saver of ours."""
    wanted = {"sync_checkpointer", "async_checkpointer"}
    chosen = [
        item
        for item in items
        if wanted.intersection(item.fixturenames)
        and not (BACKWARDS and item.originalname in HAVE_THE_ORDER_OF_IDS)
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


# --- our part


@pytest.fixture(scope="session")
def database(worker_id: str) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """A database of this process's own: its owner's connection, and how savers reach it."""
    name = f"langgraph_{worker_id}"
    server = os.environ["PGAGENT_SERVER"]
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"drop database if exists {name} with (force)")
        admin.execute(f"create database {name}")
    dsn = make_conninfo(server, dbname=name)
    install.install(dsn)
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("select pgagent.grant_access(%s, 'worker')", (ROLE,))
        yield owner, make_conninfo(os.environ["PGAGENT_THROUGH"], dbname=name, user=ROLE)


@pytest.fixture
def dsn(database: tuple[psycopg.Connection[Any], str]) -> str:
    """How savers reach an empty store: thread ids repeat from test to test."""
    owner, dsn = database
    owner.execute("delete from pgagent.agent_sessions")
    return dsn


@pytest.fixture(params=["PgAgentSaver"])
def sync_checkpointer(dsn: str) -> Iterator[PgAgentSaver]:
    with PgAgentSaver.from_conn_string(dsn, allow=ALLOW) as saver:
        yield saver


@pytest.fixture(params=["AsyncPgAgentSaver"])
async def async_checkpointer(dsn: str) -> AsyncIterator[AsyncPgAgentSaver]:
    async with AsyncPgAgentSaver.from_conn_string(dsn, allow=ALLOW) as saver:
        yield saver


# --- LangGraph's part


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def deterministic_uuids(mocker: Any) -> Any:
    made = (UUID(f"00000000-0000-4000-8000-{number:012}", version=4) for number in range(10000))
    return mocker.patch("uuid.uuid4", side_effect=made)


@pytest.fixture(params=["sync", "async", "exit"])
def durability(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=["sqlite", "memory"])
def cache(request: pytest.FixtureRequest) -> BaseCache[Any]:
    return SqliteCache(path=":memory:") if request.param == "sqlite" else InMemoryCache()


@pytest.fixture(params=["in_memory"])
def sync_store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture(params=["in_memory"])
async def async_store() -> InMemoryStore:
    return InMemoryStore()
