"""Breaks one guard at a time and looks whether the tests notice: ``make mutants``.

    test/mutants/run.py [NAME ...]

A mutant is a patch in this directory. Its first lines are comments::

    # What is broken, in a sentence.
    # red: pgtap/claim_job/skips_locked
    # red: python/test_worker::test_resume

Each is applied to a copy of the tree, and the tests that it names run there: every one must go red.
Once, before all, they must be green on a copy without a patch.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
AT_ONCE = 2


class Mutant(NamedTuple):
    """A sabotage, and the ids of the tests that must notice."""

    patch: Path
    sabotage: str
    tests: list[str]


class Run(NamedTuple):
    """What came of some tests: the ids of those that did not pass, and all that was printed."""

    red: set[str]
    finished: bool
    said: str


def mutants(names: list[str]) -> list[Mutant]:
    """Read the patches, those of the given names or all."""
    found = []
    for patch in sorted(HERE.glob("*.patch")):
        if names and patch.stem not in names:
            continue
        comments = re.match(r"(?:#.*\n)*", patch.read_text())
        lines = [line[1:].strip() for line in comments[0].splitlines()] if comments else []
        tests = [line.removeprefix("red:").strip() for line in lines if line.startswith("red:")]
        sabotage = " ".join(line for line in lines if not line.startswith("red:"))
        if not tests or not sabotage:
            raise SystemExit(f"{patch.name}: its first lines say neither what nor which tests")
        found.append(Mutant(patch, sabotage, tests))
    if unknown := set(names) - {mutant.patch.stem for mutant in found}:
        raise SystemExit(f"there is no mutant {', '.join(sorted(unknown))}")
    return found


def copy_tree(target: Path) -> None:
    """Copy what git knows or would add; not what is made from it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def run(tree: Path, tests: list[str], jobs: int) -> Run:
    """Run tests, by id, in a tree."""
    # By its interpreter: the other thread's child may still hold the copy that was just written.
    done = subprocess.run(
        ["bash", "test/run", f"--jobs={jobs}", *tests],
        cwd=tree,
        env={**os.environ, "PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    red = set(re.findall(r"^not passed: (.+)$", done.stdout, re.MULTILINE))
    return Run(red, "\ntest/run: " in done.stdout, done.stdout)


def kill(mutant: Mutant) -> list[str]:
    """Apply a mutant and run its tests; return what went wrong, nothing when all went red."""
    with tempfile.TemporaryDirectory(prefix="pgagent-mutant-") as directory:
        tree = Path(directory)
        tree.chmod(0o755)
        copy_tree(tree)
        applied = subprocess.run(
            ["git", "apply", "--recount", mutant.patch],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
        )
        if applied.returncode:
            return [f"does not apply: {applied.stderr.strip()}"]
        result = run(tree, mutant.tests, 1)
    if not result.finished:
        return [f"the tests could not run:\n{result.said}"]
    return [
        f"stayed green: {test}"
        for test in mutant.tests
        if not any(red == test or red.startswith(f"{test}[") for red in result.red)
    ]


def main() -> int:
    """Run the mutants; 0 when the tests notice every one."""
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and not without cleaning up
    chosen = mutants(sys.argv[1:])
    tests = sorted({test for mutant in chosen for test in mutant.tests})
    with tempfile.TemporaryDirectory(prefix="pgagent-mutant-") as directory:
        tree = Path(directory)
        tree.chmod(0o755)
        copy_tree(tree)
        healthy = run(tree, tests, AT_ONCE)
    if healthy.red or not healthy.finished:
        print(healthy.said)
        print("mutants: the tests must pass without any")
        return 1
    survived = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for mutant, wrong in zip(chosen, pool.map(kill, chosen), strict=True):
            survived += bool(wrong)
            verdict = "; ".join(wrong) if wrong else f"noticed by {len(mutant.tests)}"
            print(
                f"{'SURVIVED' if wrong else 'killed':<9}{mutant.patch.stem}: {verdict}", flush=True
            )
    print(
        f"mutants: {len(chosen) - survived} of {len(chosen)} killed by {len(tests)} tests, "
        f"{time.monotonic() - started:.0f} s"
    )
    return 1 if survived or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
