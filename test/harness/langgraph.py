"""LangGraph's own test suite, run on our savers.

The source package of the version that is installed here holds it. It is downloaded into .cache and
unpacked there; its tests that take a checkpointer get ours, by ``test/langgraph/conftest.py``.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import ExitStack
from typing import TYPE_CHECKING

from harness import ROOT, TEST, results
from harness.pooler import pooler

if TYPE_CHECKING:
    from pathlib import Path

    from pgagent.embedded import Server

CACHE = ROOT / ".cache"
WAYS = ("direct", "adverse")
"""Straight to the server; and through a transaction pooler, with ids that run backwards."""

LEAST = 600
"""A way has so many tests at least; fewer, and the suite is not the one that is meant here."""


class NoSuiteError(Exception):
    """The suite is not to be had."""


def run(server: Server, chosen: list[str], jobs: int, output: Path) -> bool:
    """Run the suite both ways, or what was chosen: ids of tests, or pytest's own arguments."""
    ids = [name for name in chosen if name.startswith("langgraph/")]
    arguments = [name for name in chosen if name not in ids]
    try:
        where = _unpacked()
        nodes = _nodes(ids, where)
    except NoSuiteError as error:
        print(f"langgraph: {error}")
        return False
    done = [
        _run(server, where, way, [*nodes[way], *arguments], jobs, output)
        for way in WAYS
        if way in nodes
    ]
    if chosen:
        return all(done)
    return all([*done, *(_is_whole(way, output) for way in WAYS)])


def _nodes(ids: list[str], where: Path) -> dict[str, list[str]]:
    """Turn ids into pytest's names, by way: ``langgraph/direct/sync/test_x::test_y``."""
    found: dict[str, list[str]] = {}
    for name in ids or [f"langgraph/{way}" for way in WAYS]:
        _, way, _, test = f"{name}///".split("/")[:4]
        file, _, case = test.partition("::")
        one = f"tests/{file}.py::{case}" if case else f"tests/{file}.py"
        found.setdefault(way, []).extend([one] if file else _files(where))
    if unknown := set(found) - set(WAYS):
        raise NoSuiteError(f"there is no way {', '.join(unknown)}, only {', '.join(WAYS)}")
    return found


def _files(where: Path) -> list[str]:
    """Return the files with tests that take a checkpointer, but for those of stock savers."""
    texts = {path: path.read_text() for path in sorted((where / "tests").glob("test_*.py"))}
    return [
        f"tests/{path.name}"
        for path, text in texts.items()
        if "sync_checkpointer" in text and "tests.conftest_checkpointer" not in text
    ]


def _run(
    server: Server, where: Path, way: str, arguments: list[str], jobs: int, output: Path
) -> bool:
    environment = {
        **os.environ,
        "NO_DOCKER": "true",
        "PGAGENT_SERVER": server.dsn(),
        "PGAGENT_THROUGH": server.dsn(),
    }
    with ExitStack() as stack:
        if way == "adverse":
            environment["PGAGENT_IDS"] = "backwards"
            through = stack.enter_context(pooler(server.dsn(), ["t_worker"]))
            environment["PGAGENT_THROUGH"] = through
        print(f"-- LangGraph's own suite, {way}", flush=True)
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "--dist", "loadfile"),
                *("-p", "no:cacheprovider", "--rootdir", where, "--tb=short", "--timeout=120"),
                *("-o", "asyncio_default_fixture_loop_scope=function", "-W", "ignore"),
                "--snapshot-warn-unused",
                f"--junitxml={output / f'langgraph-{way}.xml'}",
                *arguments,
            ],
            cwd=where,
            env=environment,
            check=False,
        )
    return done.returncode == 0


def _is_whole(way: str, output: Path) -> bool:
    ran = sum(test.startswith(f"langgraph/{way}/") for test in results.read(output))
    if ran < LEAST:
        print(f"langgraph: {ran} tests ran {way}, and there should be {LEAST} at least")
    return ran >= LEAST


def _unpacked() -> Path:
    """Return a directory with the suite of the installed version, and our conftest in it."""
    version = importlib.metadata.version("langgraph")
    where = CACHE / f"langgraph-{version}"
    if not (where / "tests").exists():
        _unpack(_download(version), where)
    shutil.copy(TEST / "langgraph" / "conftest.py", where / "tests")
    return where


def _download(version: str) -> Path:
    package = CACHE / f"langgraph-{version}.tar.gz"
    if not package.exists():
        CACHE.mkdir(exist_ok=True)
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
        what = ("--no-deps", "--no-binary", "langgraph", f"langgraph=={version}")
        done = subprocess.run(
            [*pip, *what, "--dest", CACHE], capture_output=True, text=True, check=False
        )
        if done.returncode or not package.exists():
            raise NoSuiteError(
                f"the source package of langgraph {version}, which holds its test suite, could not "
                f"be downloaded; this step needs the package index, or the file {package}\n"
                + done.stderr.strip()
            )
    return package


def _unpack(package: Path, where: Path) -> None:
    """Unpack the tests alone: the package that they test is the one that is installed."""
    unfinished = where.with_name(f"{where.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    with tarfile.open(package) as archive:
        inside = [member for member in archive if member.name.startswith(f"{where.name}/tests/")]
        for member in inside:
            member.name = member.name.removeprefix(f"{where.name}/")
        archive.extractall(unfinished, inside, filter="data")
    unfinished.rename(where)
