"""pgTAP files through pg_prove: test/pgtap/<function>/<behaviour>.sql.

Each shard of the files has a database of its own, so that two tests that take the same rows never
meet. Files under a folder that starts with ``_catalog`` also run against the extension.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from harness import TEST, databases, results

if TYPE_CHECKING:
    from pathlib import Path

    from pgagent.embedded import Server


def files(chosen: list[str]) -> list[Path]:
    """Return the pgTAP files below the chosen ids or paths; all of them for none."""
    found: set[Path] = set()
    for name in chosen or ["pgtap"]:
        path = TEST / name.removeprefix("test/")
        path = path if path.is_dir() else path.with_suffix(".sql")
        if not path.exists():
            raise SystemExit(f"test/run: there is no {path}")
        found |= {path} if path.is_file() else set(path.rglob("*.sql"))
    return sorted(file for file in found if not file.name.startswith("_"))


def run(server: Server, chosen: list[str], jobs: int, output: Path) -> bool:
    """Run the files; True when all passed."""
    tests = files(chosen)
    if not tests:
        return True
    databases.make_plain(server, "plain")
    shards = {f"plain_{n}": tests[n::jobs] for n in range(jobs) if tests[n::jobs]}
    for name in shards:
        databases.copy(server, "plain", name)
    if catalog := [file for file in tests if "_catalog" in file.parts]:
        databases.make_extension(server, "extension")
        shards["extension"] = catalog
    with ThreadPoolExecutor(jobs) as pool:
        return all(
            list(
                pool.map(
                    lambda shard: _prove(server, *shard, output / "tap" / shard[0]),
                    shards.items(),
                )
            )
        )


def _prove(server: Server, database: str, tests: list[Path], output: Path) -> bool:
    environment = {
        **os.environ,
        "PERL_TEST_HARNESS_DUMP_TAP": str(output),
        "PGOPTIONS": "--client-min-messages=warning",
    }
    done = subprocess.run(
        ["pg_prove", "--norc", "--nocolor", "--failures", "--comments"]
        + ["--psql-bin", str(server.bin("psql")), "-h", "127.0.0.1", "-p", str(server.port)]
        + ["-U", "postgres", "-d", database]
        + [str(test.relative_to(TEST)) for test in tests],
        cwd=TEST,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    passed = done.returncode == 0 and all(
        results.tap_passed((output / test.relative_to(TEST)).read_text()) for test in tests
    )
    if not passed:
        print(f"-- database {database}\n{done.stdout}")
    return passed
