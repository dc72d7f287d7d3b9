"""The part of docs/benchmarks.md about checkpoints, from raw figures alone."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from bench.bars import MB, Bar, Figures, bars, doublings, p95, total, trend
from bench.contenders import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NAMES = {
    "agent_real": "Agent, real text",
    "agent_random": "Agent, random letters",
    "agent_long": "Long agent, real text",
}


def markdown(about: dict[str, Any], figures: Figures, charts: Sequence[tuple[str, str]]) -> str:
    """The page: what was measured, against what, and whether the bars hold."""
    return "\n".join(_lines(about, figures, charts)) + "\n"


def _lines(
    about: dict[str, Any], figures: Figures, charts: Sequence[tuple[str, str]]
) -> Iterator[str]:
    yield "## Checkpoints"
    yield ""
    yield f"Written by `{about['command']}`; do not edit. The raw figures are in"
    yield "[benchmarks/checkpoints.json](benchmarks/checkpoints.json)."
    yield ""
    yield from _method(about)
    yield "### Bars"
    yield ""
    yield from bar_table(bars(figures))
    for file, caption in charts:
        yield f"![{caption}](benchmarks/{file})"
        yield ""
    yield from _runs(figures)
    yield from _disk(figures)
    yield from _growth(figures)
    yield from _calls(figures)
    yield from _further(figures)


def bar_table(found: Iterable[Bar]) -> Iterator[str]:
    """Each bar, what was found, and whether it holds."""
    rows = [
        [
            bar.what,
            f"{bar.found:.2f}{bar.unit}",
            f"{'>=' if bar.at_least else '<='} {bar.bar:g}{bar.unit}"
            + (f" (hoped for: {bar.stretch:g}{bar.unit})" if bar.stretch else ""),
            "yes" if bar.holds else "**no**",
        ]
        for bar in found
    ]
    yield from table(["figure", "found", "bar", "holds"], rows)


def _method(about: dict[str, Any]) -> Iterator[str]:
    yield "### How"
    yield ""
    yield f"- Text of the messages: {about['text']}. A model and its tools that cost no time"
    yield '  speak it in turn; one invocation, `durability="sync"`. Real text where none is named.'
    yield "- One run, one server, a fresh database for each contender and figure; the contenders"
    yield "  take turns, and each round begins with another one. Figures are medians over the"
    yield f"  rounds ({about['rounds']} for most), and ratios are of medians."
    yield "- Each saver is made as its documentation does it: stock with one connection and"
    yield "  named statements; pgagent with a pool, no named statements, and a role that has the"
    yield "  access of a worker. No role is a superuser."
    yield f"- Server: {about['server']}, on the same machine; changed settings:"
    yield f"  {about['settings']}. The rest is as the server comes."
    yield f"- Client: {about['client']}."
    yield f"- {about['cpus']} processors; load {about['load_before']:.1f} before and"
    yield f"  {about['load_after']:.1f} after; {about['minutes']:.0f} minutes."
    yield f"  Begun {about['begun']}."
    yield ""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _runs(figures: Figures) -> Iterator[str]:
    found = {name: figures[name] for name in _NAMES if name in figures}
    if not found:
        return
    yield "### Runs"
    yield ""
    rows = []
    for name, run in found.items():
        for key, seconds in run["seconds"].items():
            wal = f"{run['wal'][key] / MB:.1f}" if key in run["wal"] else ""
            rows.append(
                [
                    f"{_NAMES[name]}, {run['messages']:,} messages",
                    LABELS[key],
                    f"{median(seconds):.2f}",
                    f"{min(seconds):.2f}-{max(seconds):.2f}",
                    f"{median(run['seconds']['ours']) / median(seconds):.2f}",
                    wal,
                ]
            )
    yield from table(
        ["run", "saver", "seconds", "range", "pgagent / it", "MB of log written"], rows
    )
    rows = [
        [
            f"{1000 * run['round_trip']:.0f} ms round trip",
            LABELS[key],
            f"{run['at_once'] / median(seconds):.1f}",
            f"{median(run['seconds']['stock']) / median(seconds):.1f}",
        ]
        for run in (
            figures[name] for name in ("throughput_5ms", "throughput_10ms") if name in figures
        )
        for key, seconds in run["seconds"].items()
    ]
    if rows:
        run = figures.get("throughput_5ms") or figures["throughput_10ms"]
        yield f"{run['at_once']} async runs of {run['turns']} turns at once over a pool of"
        yield f"{run['connections']} connections:"
        yield ""
        yield from table(["network", "saver", "runs a second", "times stock"], rows)


def _disk(figures: Figures) -> Iterator[str]:
    for name in ("disk", "disk_long"):
        if name not in figures:
            continue
        found = figures[name]
        sizes = found["sizes"]
        yield f"### Bytes on disk, one thread of {found['turns']:,} turns"
        yield ""
        yield f"Its messages, each serialised once: {found['raw'] / MB:.2f} MB, of which"
        yield f"{found['text'] / MB:.2f} MB are what they say. By so much it made all"
        yield "tables that it needs larger, after a vacuum:"
        yield ""
        for key, parts in sizes.items():
            yield f"{LABELS[key]}: {total(parts) / MB:.2f} MB,"
            yield f"{total(parts) / found['raw']:.1f} times the messages."
            yield ""
            rows = [
                [part, f"{size / 1024:,.0f}", f"{100 * size / total(parts):.0f} %"]
                for part, size in sorted(parts.items(), key=lambda item: -item[1])
                if size
            ]
            yield from table(["part", "kB", "share"], rows)


def _growth(figures: Figures) -> Iterator[str]:
    if "growth" not in figures:
        return
    yield "### Growth"
    yield ""
    yield "MB on disk of one thread, and against half as many turns:"
    yield ""
    rows = []
    for key, sizes in figures["growth"].items():
        label = "pgagent, trimmed to 50 each turn" if key == "window" else LABELS[key]
        factors = ["", *(f" ({factor:.2f})" for factor in doublings(sizes))]
        cells = [
            f"{int(turns):,}: {size / MB:.2f}{factor}"
            for (turns, size), factor in zip(sizes.items(), factors, strict=True)
        ]
        rows.append([label, " · ".join(cells)])
    yield from table(["saver", "turns: MB (factor)"], rows)


def _calls(figures: Figures) -> Iterator[str]:
    groups = [
        (f"{call} at {figures[name]['messages']:,} messages", figures[name][call])
        for name in ("writes_20", "writes_1000")
        if name in figures
        for call in ("put", "put_writes")
    ]
    if "reads" in figures:
        found = figures["reads"]
        groups += [
            (f"get_tuple at {found['messages']} messages", found["get"]),
            (f"list of {found['messages'] + 1} checkpoints", found["list"]),
        ]
    if not groups:
        return
    yield "### Single calls"
    yield ""
    rows = [
        [
            what,
            LABELS[key],
            f"{1000 * median(samples[key]):.2f}",
            f"{1000 * p95(samples[key]):.2f}",
            f"{median(samples[key]) / median(samples['stock']):.2f}",
        ]
        for what, samples in groups
        for key in samples
    ]
    yield from table(["call", "saver", "ms, median", "ms, p95", "/ stock"], rows)
    if "reads" in figures:
        rows = [
            [LABELS[key], f"{got['get'] / 1024:,.0f}", f"{got['list'] / 1024:,.0f}"]
            for key, got in figures["reads"]["received"].items()
        ]
        yield "Bytes that came from the server:"
        yield ""
        yield from table(["saver", "get_tuple, kB", "list, kB"], rows)


def _further(figures: Figures) -> Iterator[str]:
    if "held" in figures:
        found = figures["held"]
        yield "### A snapshot held"
        yield ""
        yield f"{found['puts']:,} puts of a thread of {found['window']} messages, each with a new"
        yield "one, while another session holds a snapshot, so that no dead row goes:"
        yield ""
        size = found["puts"] // 10
        rows = [
            [
                LABELS[key],
                f"{1000 * p95(samples[:size]):.2f}",
                f"{1000 * p95(samples[-size:]):.2f}",
                f"{trend(samples):.2f}",
            ]
            for key, samples in found["put"].items()
        ]
        yield from table(["saver", "p95 of the first tenth, ms", "of the last", "factor"], rows)
    if "memory" in figures:
        found = figures["memory"]
        yield "### Memory"
        yield ""
        yield f"Resident memory of a process that stored {found['threads']:,} threads of"
        yield f"{found['messages']} messages: {found['before'] / MB:.0f} MB with the first,"
        yield f"{found['after'] / MB:.0f} MB with all of them."
        yield ""
