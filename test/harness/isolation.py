"""Isolation specs: test/isolation/specs/<spec>.spec against test/isolation/expected/<spec>.out."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from harness import BUILD, TEST, databases

if TYPE_CHECKING:
    from pathlib import Path

    from pgagent.embedded import Server

SPECS = TEST / "isolation"
OUTPUT = BUILD / "isolation"
# PostgreSQL 15 writes "test name ... ok 12 ms", later ones write TAP.
_OLD = re.compile(r"^test (\S+)\s+\.\.\. (ok|FAILED)")
_NEW = re.compile(r"^(ok|not ok) \d+\s+[-+] (\S+)")


def specs(chosen: list[str]) -> list[str]:
    """Return the names of the chosen specs; all of them for none."""
    every = sorted(path.stem for path in (SPECS / "specs").glob("*.spec"))
    wanted = [name.rpartition("/")[2].removesuffix(".spec") for name in chosen] or every
    if unknown := set(wanted) - set(every) - {"isolation"}:
        raise SystemExit(f"test/run: there is no spec {', '.join(sorted(unknown))}")
    return every if "isolation" in wanted else wanted


def run(server: Server, chosen: list[str], output: Path) -> bool:
    """Run the specs, one after the other, in one database; True when all passed."""
    wanted = specs(chosen)
    if not wanted:
        return True
    databases.make_plain(server, "isolation")
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    done = subprocess.run(
        [
            databases.isolation_tester(),
            *(f"--inputdir={SPECS}", f"--outputdir={OUTPUT}", f"--bindir={server.bindir}"),
            *("--host=127.0.0.1", f"--port={server.port}", "--user=postgres"),
            *("--use-existing", "--dbname=isolation"),
            *wanted,
        ],
        cwd=OUTPUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    passed = {}
    for line in done.stdout.splitlines():
        if old := _OLD.match(line):
            passed[old[1]] = old[2] == "ok"
        elif new := _NEW.match(line):
            passed[new[2]] = new[1] == "ok"
    lines = [f"1..{len(wanted)}"]
    for number, spec in enumerate(wanted, 1):
        lines.append(f"{'ok' if passed.get(spec) else 'not ok'} {number} - {spec}")
    (output / "isolation.tap").write_text("\n".join(lines) + "\n")
    if done.returncode or not all(passed.get(spec) for spec in wanted):
        print(done.stdout)
        differences = OUTPUT / "regression.diffs"
        print(differences.read_text() if differences.exists() else "")
        print(f"what the specs printed is in {OUTPUT.relative_to(TEST.parent)}/results")
        return False
    return True
