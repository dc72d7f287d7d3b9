"""Linters: sqlfluff on the sources, plpgsql_check on every function, ruff and mypy on Python."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from harness import ROOT, TEST, databases

if TYPE_CHECKING:
    from pathlib import Path

    from pgagent.embedded import Server


def run(server: Server) -> bool:
    """Run them all; True when none has a finding."""
    return all(
        [
            _tool("sqlfluff", "lint", "--disable-progress-bar", "--processes", "2", "sql"),
            _plpgsql_check(server),
            _tool("ruff", "check", "python", "test"),
            _tool("ruff", "format", "--check", "python", "test"),
            _tool("mypy", where=ROOT / "python"),
        ]
    )


def _tool(name: str, *arguments: str, where: Path = ROOT) -> bool:
    done = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        cwd=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"-- {name}\n{done.stdout}")
    return done.returncode == 0


def _plpgsql_check(server: Server) -> bool:
    databases.make_plain(server, "lint", moving_clock=False)
    findings = server.psql("-f", str(TEST / "harness" / "plpgsql_check.sql"), dbname="lint")
    if findings:
        print(f"-- plpgsql_check\n{findings}")
    return not findings
