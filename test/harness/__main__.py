"""Command line of the test runner."""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import BUILD, ROOT, TEST, databases, isolation, langgraph, lint, pgtap, python, results

KINDS = ("pgtap", "isolation", "python", "langgraph")
STEPS = ("lint", *KINDS, "guarantees")
HELP = """
what:
  (nothing)                 everything, in this order
  lint                      sqlfluff, plpgsql_check, ruff, mypy
  pgtap [PATH or ID ...]    pgTAP files under test/pgtap, or those below the paths
  isolation [SPEC ...]      isolation specs
  python [ARGUMENT ...]     pytest, with its own arguments
  langgraph [ARGUMENT ...]  LangGraph's own test suite on our savers, straight to the server and the
                            adverse way: through a transaction pooler, with ids that run backwards
  guarantees                what docs/guarantees.md names must have passed in the last full run
  lint pgtap ...            several of these steps, each whole
  ID ...                    tests by id: pgtap/claim_job/skips_locked, isolation/fence,
                            python/test_install::test_twenty_at_once,
                            langgraph/direct/sync/test_pregel::test_x, langgraph/adverse

A pgTAP file is plain psql: begin; select plan(n); ... select * from finish(); rollback;
Its database has
  - pgagent, as a plain install, and search_path = tap: everything but pgTAP must be qualified
  - roles t_reader, t_tenant, t_worker, t_admin with access of that kind, and t_stranger;
    select become('t_worker');  goes on as that role, in the transaction, until  reset role;
  - a clock: select pgagent_test.advance('61 s');  moves pgagent._now() for this transaction
Files run in any order, several at a time but never two in one database. Names that start with _ are
for files to \\i, but for the folder _catalog, whose tests also run against the extension.

Isolation specs share one database; a session is another role with  setup { set role t_worker; }.
Their clock is common: select pgagent_test.advance_for_all('61 s');  reset_for_all() sets it right.
What they printed is left in build/isolation/results.

A full run leaves its results in build/results: tap/, isolation.tap, python.xml, langgraph-*.xml.
"""


def main() -> int:
    """Run what was asked for; 0 when all of it passed."""
    parser = argparse.ArgumentParser(
        prog="test/run",
        description="Runs the tests, on servers of its own.",
        epilog=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (2)")
    parser.add_argument("what", nargs="*")
    options, further = parser.parse_known_args()
    asked = [*options.what, *further]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and not without cleaning up
    subprocess.run(["make", "--silent", "-C", ROOT, "build"], check=True)

    last = BUILD / "results"
    if asked == ["guarantees"]:
        return 0 if _guarantees(last) else 1
    if not asked:
        shutil.rmtree(last, ignore_errors=True)
        last.mkdir(parents=True)
        return _run({step: [] for step in STEPS}, options.jobs, last)
    with tempfile.TemporaryDirectory(prefix="pgagent-results-") as directory:
        return _run(_plan(asked), options.jobs, Path(directory))


def _plan(asked: list[str]) -> dict[str, list[str]]:
    """Return the steps to take, each with what was chosen of it."""
    if all(word in STEPS for word in asked):
        return {step: [] for step in asked}
    if asked[0] in KINDS:
        return {asked[0]: asked[1:]}
    plan: dict[str, list[str]] = {}
    for test in asked:
        plan.setdefault(test.removeprefix("test/").partition("/")[0], []).append(test)
    if unknown := set(plan) - set(KINDS):
        raise SystemExit(f"test/run: neither a step nor a test: {', '.join(sorted(unknown))}")
    return plan


def _run(plan: dict[str, list[str]], jobs: int, output: Path) -> int:
    started = time.monotonic()
    failed = [name for name, chosen in plan.items() if not _step(name, chosen, jobs, output)]
    found = results.read(output)
    skipped = results.skipped(output)
    bad = sorted(test for test, passed in found.items() if not passed and test not in skipped)
    for test in sorted(skipped):
        print(f"skipped: {test}")
    for test in bad:
        print(f"not passed: {test}")
    counts = [
        f"{sum(test.startswith(f'{kind}/') for test in found)} {kind}"
        for kind in KINDS
        if kind in plan
    ]
    seconds = time.monotonic() - started
    print(
        f"test/run: {' + '.join(counts) or 'no'} tests, {len(bad)} not passed, "
        + (f"{len(skipped)} skipped, " if skipped else "")
        + f"{seconds:.0f} s: "
        + (f"FAILED ({', '.join(failed)})" if failed else "passed")
    )
    return 1 if failed else 0


def _step(name: str, chosen: list[str], jobs: int, output: Path) -> bool:
    started = time.monotonic()
    if name == "python":
        passed = python.run(chosen, jobs, output)
    elif name == "guarantees":
        passed = _guarantees(output)
    else:
        with databases.test_server() as server:
            if name == "lint":
                passed = lint.run(server)
            elif name == "pgtap":
                passed = pgtap.run(server, chosen, jobs, output)
            elif name == "langgraph":
                passed = langgraph.run(server, chosen, jobs, output)
            else:
                passed = isolation.run(server, chosen, output)
    seconds = time.monotonic() - started
    print(f"{name}: {'passed' if passed else 'FAILED'} in {seconds:.0f} s", flush=True)
    return passed


def _guarantees(output: Path) -> bool:
    done = subprocess.run([sys.executable, TEST / "guarantees.py", output], check=False)
    return done.returncode == 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("test/run: interrupted")
