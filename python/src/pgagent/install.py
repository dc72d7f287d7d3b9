"""Puts pgagent into a database: as an extension where the server has its files, else by its script.

Every process of an application may do this when it starts. Whoever comes first does the work, under
an advisory lock; the others wait a moment and find it done. The steps are one generator, which the
sync and the async function feed with what the server answers.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from psycopg import AsyncConnection, Connection
from psycopg.rows import TupleRow, tuple_row

FILES = Path(__file__).parent / "share" / "extension"


class InstallError(RuntimeError):
    """A schema ``pgagent`` is in the way that must be neither touched nor trusted."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did, and the version that the database has now."""

    did: Literal["extension", "plain", "nothing"]
    version: str


class _Step(NamedTuple):
    sql: bytes
    parameters: tuple[str, ...] | None = None


_Steps = Generator[_Step, list[TupleRow], Installed]

# Nothing that other schemas hold may be called by us. Ends with the transaction, or is undone.
_SAFE_PATH = b"""
select
  pg_catalog.current_setting('search_path'),
  pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)
"""
_OLD_PATH = b"select set_config('search_path', %s, true)"
_LOCK = b"select pg_advisory_xact_lock(hashtextextended('pgagent install', 0))"

# Whoever may create schemas could have put one of this name here before us. Believed are
# superusers, the owner of the database and the current role; and by a role that can only use what
# is there, anybody. Files of pgAdmin's pgAgent have our name, but their own versions and schema.
_STATE = b"""
select
  to_regprocedure('pgagent.version()') is not null,
  not has_database_privilege(d.oid, 'create')
  or coalesce(r.rolsuper or r.oid = d.datdba or r.rolname = current_user, false),
  exists (
    select from pg_available_extension_versions as v
    where v.name = 'pgagent' and v.version = %s and v.schema = 'pg_catalog'
  )
from pg_database as d
left join pg_namespace as n on n.nspname = 'pgagent'
left join pg_roles as r on r.oid = n.nspowner
where d.datname = current_database()
"""
_VERSION = b"select pgagent.version()"


def install(target: str | Connection[Any]) -> Installed:
    """Install pgagent in a database, if it is not there. Safe to repeat, and from many processes.

    Args:
        target: a connection string, or a connection. On an idle connection the work is committed;
            in an open transaction it becomes part of it, and a rollback leaves nothing; others that
            install wait for the end of that transaction.

    Raises:
        InstallError: somebody else made a schema ``pgagent``.
        psycopg.Error: what the server says, among it the refusals of the script's own guard: a
            server before PostgreSQL 15, or pgAdmin's pgAgent in the same database.
    """
    if isinstance(target, str):
        with Connection.connect(target, autocommit=True) as connection:
            return install(connection)
    steps = _steps()
    with target.transaction(), target.cursor(row_factory=tuple_row) as cursor:
        step = next(steps)
        while True:
            cursor.execute(*step)
            try:
                step = steps.send(cursor.fetchall() if cursor.description else [])
            except StopIteration as end:
                return cast("Installed", end.value)


async def install_async(target: str | AsyncConnection[Any]) -> Installed:
    """Install pgagent as `install` does, over an async connection."""
    if isinstance(target, str):
        async with await AsyncConnection.connect(target, autocommit=True) as connection:
            return await install_async(connection)
    steps = _steps()
    async with target.transaction(), target.cursor(row_factory=tuple_row) as cursor:
        step = next(steps)
        while True:
            await cursor.execute(*step)
            try:
                step = steps.send(await cursor.fetchall() if cursor.description else [])
            except StopIteration as end:
                return cast("Installed", end.value)


@cache
def packaged_version() -> str:
    """Return the version of the SQL files that this package carries."""
    control = (FILES / "pgagent.control").read_text()
    found = re.search(r"^default_version = '([0-9.]+)'$", control, re.MULTILINE)
    if not found:
        raise ValueError(f"no default_version in {FILES / 'pgagent.control'}")
    return found[1]


def script() -> str:
    """Return the script of a plain install: run it in one transaction."""
    return (FILES / f"pgagent--{packaged_version()}.sql").read_text()


def _steps() -> _Steps:
    """Yield what to run in one transaction; each step is answered with its rows."""
    version = packaged_version()
    ((old_path, _),) = yield _Step(_SAFE_PATH)
    yield _Step(_LOCK)
    ((is_there, is_trusted, has_files),) = yield _Step(_STATE, (version,))
    if is_there and not is_trusted:
        raise InstallError(
            "the schema pgagent belongs neither to a superuser nor to the owner of the database "
            "nor to the current role: see who made it, and install as that role, or drop it"
        )
    installed: Installed
    if is_there:
        ((found,),) = yield _Step(_VERSION)
        installed = Installed("nothing", found)
    elif has_files:
        yield _Step(f"create extension pgagent version '{version}'".encode())
        installed = Installed("extension", version)
    else:
        yield _Step(script().encode())
        installed = Installed("plain", version)
    yield _Step(_OLD_PATH, (old_path,))
    return installed
