"""docs/benchmarks.md: a part for each benchmark, made from the raw figures of all of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from bench import charts, queue_charts, queue_report, report

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {
    "checkpoints": (charts.draw, report.markdown),
    "queue": (queue_charts.draw, queue_report.markdown),
}
HEAD = """# Benchmarks

Each part is written by its command, from its raw figures; do not edit.

"""


def write(out: Path, part: str, about: dict[str, Any], figures: dict[str, Any]) -> None:
    """Write the raw figures of one benchmark, and the page and its charts anew."""
    directory = out / "benchmarks"
    directory.mkdir(parents=True, exist_ok=True)
    raw = json.dumps({"about": about, "figures": _rounded(figures)}, indent=1)
    (directory / f"{part}.json").write_text(_short_lists(raw) + "\n")
    make(out)


def make(out: Path) -> None:
    """Write page and charts from the raw figures that there are."""
    directory = out / "benchmarks"
    parts = []
    for part, (draw, markdown) in PARTS.items():
        raw = directory / f"{part}.json"
        if raw.exists():
            found = json.loads(raw.read_text())
            drawn = list(draw(found["figures"], directory))
            parts.append(markdown(found["about"], found["figures"], drawn))
    (out / "benchmarks.md").write_text(HEAD + "\n".join(parts))


def _rounded(value: Any) -> Any:
    """Seconds to the microsecond."""
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(inner) for inner in value]
    return round(value, 6) if isinstance(value, float) else value


def _short_lists(text: str) -> str:
    """JSON with a list of numbers on one line."""
    return re.sub(r"\[[^\[\]{}\"]*\]", lambda found: " ".join(found[0].split()), text)
