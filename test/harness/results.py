"""What a run found, by test id.

pgTAP and isolation leave TAP, pytest leaves JUnit, all in one directory. Ids:

    pgtap/<function>/<behaviour>    a file under test/pgtap
    isolation/<spec>                a file under test/isolation/specs
    python/<file>::<test>           a test under python/tests, the file without .py
    langgraph/<way>/<saver>/<file>::<test>
                                    a test of LangGraph's own suite; the way is direct or adverse,
                                    the saver is sync or async
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE = re.compile(r"^(not )?ok\b[^#]*(#\s*(?:skip|todo)\b)?", re.IGNORECASE)
_PLAN = re.compile(r"^1\.\.(\d+)")


def read(directory: Path) -> dict[str, bool]:
    """Return whether each test of a run passed; skipped ones did not."""
    found: dict[str, bool] = {}
    for database in sorted((directory / "tap").glob("*")):
        for file in database.rglob("*.sql"):
            test = str(file.relative_to(database).with_suffix(""))
            found[test] = found.get(test, True) and tap_passed(file.read_text(errors="replace"))
    isolation = directory / "isolation.tap"
    if isolation.exists():
        for line in isolation.read_text().splitlines():
            if matched := re.match(r"^(not )?ok \d+ - (\S+)", line):
                found[f"isolation/{matched[2]}"] = not matched[1]
    for test, tags in _junit(directory):
        found[test] = not tags & {"failure", "error", "skipped"}
    return found


def skipped(directory: Path) -> set[str]:
    """Return the tests that pytest skipped."""
    return {test for test, tags in _junit(directory) if "skipped" in tags}


def _junit(directory: Path) -> Iterator[tuple[str, set[str]]]:
    """Each test of pytest, and what JUnit has to say of it."""
    for report in sorted(directory.glob("*.xml")):
        kind, _, way = report.stem.partition("-")
        for case in ElementTree.parse(report).iter("testcase"):
            module = case.get("classname", "").removeprefix("tests.").replace(".", "/")
            test = f"{module}::{case.get('name')}"
            if way:
                test = f"{way}/{'async' if 'AsyncPgAgentSaver' in test else 'sync'}/{test}"
            yield f"{kind}/{test}", {child.tag for child in case}


def tap_passed(text: str) -> bool:
    """Return whether a TAP file ran to its planned end without a failed or skipped test."""
    planned, passed = None, 0
    for line in text.splitlines():
        if plan := _PLAN.match(line):
            planned = int(plan[1])
        elif line.startswith("Bail out!"):
            return False
        elif matched := _LINE.match(line):
            if matched[1] or matched[2]:
                return False
            passed += 1
    return planned is not None and passed == planned
