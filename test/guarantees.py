"""Checks what the README and docs/guarantees.md promise against the results of a run.

    test/run guarantees

Each row of their tables of promises reads ``| R1 | promise | `test id`, `test id` |``. Every test
that a row names must have run and passed; all variants of a parametrised one, and all that are
below a name such as ``langgraph/direct/sync``. How ids are formed is said in harness/results.py.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

from harness import BUILD, ROOT, results

PAGES = ("README.md", "docs/guarantees.md")
_ROW = re.compile(r"^\| *([A-Z]?[0-9]+[a-z]?) *\|(.+)\|(.+)\| *$")


class Row(NamedTuple):
    """A promise, and the ids of the tests that prove it."""

    number: str
    tests: list[str]


def rows(text: str) -> list[Row]:
    """Return the rows of the page's tables."""
    found = (match for line in text.splitlines() if (match := _ROW.match(line)))
    return [Row(match[1], re.findall(r"`([^`]+)`", match[3])) for match in found]


def faults(page: list[Row], passed: dict[str, bool]) -> list[str]:
    """Return what is wrong, one line each."""
    said: list[str] = []
    seen: set[str] = set()
    for row in page:
        if row.number in seen:
            said.append(f"{row.number}: is there twice")
        seen.add(row.number)
        if not row.tests:
            said.append(f"{row.number}: names no test")
        for test in row.tests:
            variants = [
                name for name in passed if name == test or name.startswith((f"{test}[", f"{test}/"))
            ]
            if not variants:
                said.append(f"{row.number}: {test} did not run")
            said += [f"{row.number}: {name} did not pass" for name in variants if not passed[name]]
    return said


def main() -> int:
    """Print what is wrong and a line that says what was counted; 0 when nothing is wrong."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD / "results"
    passed = results.read(directory)
    pages = {page: rows((ROOT / page).read_text()) for page in PAGES}
    wrong = [f"{page}: {line}" for page, found in pages.items() for line in faults(found, passed)]
    wrong += [f"{page}: no row was found" for page, found in pages.items() if not found]
    for line in wrong:
        print(line)
    found = [row for page in pages.values() for row in page]
    tests = {test for row in found for test in row.tests}
    print(f"guarantees: {len(found)} rows, {len(tests)} tests, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
