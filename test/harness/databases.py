"""The server that SQL tests run on: a private copy of the installed PostgreSQL.

The copy holds pgTAP, plpgsql_check and the extension's files, so that CREATE EXTENSION can be
tested without touching the system. PostgreSQL finds its own files relative to its programs.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from harness import BUILD, ROOT, TEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgagent.embedded import Server

PACKAGE = ROOT / "python" / "src" / "pgagent"
CLOCK = PACKAGE / "testing" / "clock.sql"
SETTINGS = {"max_connections": "60", "autovacuum_naptime": "5s", "deadlock_timeout": "500ms"}


# By its path: the package around it needs more, and a fault in it must not stop the SQL tests.
_spec = importlib.util.spec_from_file_location("embedded", PACKAGE / "embedded.py")
embedded = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(embedded)


def pg_config(what: str) -> Path:
    """Return a directory that pg_config knows, such as ``bindir``."""
    program = os.environ.get("PG_CONFIG", "pg_config")
    done = subprocess.run([program, f"--{what}"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).resolve()


def isolation_tester() -> Path:
    """Return the program that runs isolation specs; server-dev packages bring it."""
    pgxs = Path(pg_config("pgxs"))
    return pgxs.parents[1] / "test" / "isolation" / "pg_isolation_regress"


@contextmanager
def private_copy() -> Iterator[Path]:
    """Yield the directory of the programs of a copy that knows the extension."""
    places = [pg_config(what) for what in ("bindir", "sharedir", "pkglibdir")]
    prefix = Path(os.path.commonpath(places))
    with tempfile.TemporaryDirectory(prefix="pgagent-pg-", dir=_temporary()) as directory:
        top = Path(directory)
        top.chmod(0o755)
        for place in places:
            target = top / place.relative_to(prefix)
            shutil.copytree(
                place,
                target,
                symlinks=True,
                dirs_exist_ok=True,
                copy_function=embedded.link_or_copy,
            )
        sharedir = top / places[1].relative_to(prefix)
        for file in (embedded.SHARE / "extension").glob("pgagent*"):
            shutil.copy(file, sharedir / "extension")
        yield top / places[0].relative_to(prefix)


@contextmanager
def test_server() -> Iterator[Server]:
    """Yield a server with the roles of `roles.sql`."""
    with (
        private_copy() as bindir,
        embedded.Server(bindir, settings=SETTINGS, fsync=False) as server,
    ):
        server.psql("-f", str(TEST / "harness" / "roles.sql"))
        yield server


def make_plain(server: Server, name: str, *, moving_clock: bool = True) -> None:
    """Make a database with a plain install: the one that checks the bodies of functions."""
    script = next(BUILD.glob("pgagent--[0-9]*.sql"))
    server.psql("-c", f'create database "{name}"')
    server.psql("-1", "-f", str(script), dbname=name)
    _equip(server, name, moving_clock=moving_clock)


def make_extension(server: Server, name: str) -> None:
    """Make a database with the extension."""
    server.psql("-c", f'create database "{name}"')
    server.psql("-c", "create extension pgagent", dbname=name)
    _equip(server, name, moving_clock=True)


def copy(server: Server, template: str, name: str) -> None:
    """Copy a database that nobody is connected to."""
    server.psql("-c", f'create database "{name}" template "{template}"')
    server.psql("-c", f'alter database "{name}" set search_path = tap')


def _equip(server: Server, name: str, *, moving_clock: bool) -> None:
    if moving_clock:
        server.psql("-1", "-f", str(CLOCK), dbname=name)
    server.psql("-1", "-f", str(TEST / "harness" / "database.sql"), dbname=name)


def _temporary() -> str:
    """Return a directory that the server's user can reach; root's server runs as another one."""
    return "/tmp" if os.geteuid() == 0 else tempfile.gettempdir()
