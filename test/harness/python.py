"""Python tests through pytest: python/tests."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def run(arguments: list[str], jobs: int, output: Path) -> bool:
    """Run pytest with its own arguments, or on chosen ids; True when all passed."""
    chosen = [_node(name) if name.startswith("python/") else name for name in arguments]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "--dist", "worksteal"),
            f"--junitxml={output / 'python.xml'}",
            *chosen,
        ],
        cwd=ROOT / "python",
        check=False,
    )
    return done.returncode == 0


def _node(test: str) -> str:
    """Turn ``python/test_install::test_x`` into pytest's ``tests/test_install.py::test_x``."""
    file, _, name = test.removeprefix("python/").partition("::")
    path = f"tests/{file.removeprefix('tests/').removesuffix('.py')}.py"
    return f"{path}::{name}" if name else path
