"""The part of docs/benchmarks.md about the queue, from raw figures alone."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from bench.peers import LABELS
from bench.queue_bars import bars, last
from bench.report import bar_table, table
from bench.workers import p99

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.bars import Figures


_RATES = (
    ("single", "One by one, tens of thousands ready"),
    ("short", "One by one, from a short queue"),
    ("workers", "Through the Python workers"),
)


def markdown(about: dict[str, Any], figures: Figures, charts: Sequence[tuple[str, str]]) -> str:
    """What was measured, against what, and whether the bars hold."""
    return "\n".join(_lines(about, figures, charts)) + "\n"


def _lines(
    about: dict[str, Any], figures: Figures, charts: Sequence[tuple[str, str]]
) -> Iterator[str]:
    yield "## The queue"
    yield ""
    yield f"Written by `{about['command']}`. The raw figures are in"
    yield "[benchmarks/queue.json](benchmarks/queue.json)."
    yield ""
    yield from _method(about)
    yield "### Bars of the queue"
    yield ""
    yield from bar_table(bars(figures))
    for note in about["skipped"]:
        yield f"Not measured: {note}"
        yield ""
    for file, caption in charts:
        yield f"![{caption}](benchmarks/{file})"
        yield ""
    for name, title in _RATES:
        if name in figures:
            yield from _rates(title, figures[name])
    yield from _held(figures)
    yield from _latency(figures)
    yield from _safety(figures)


def _method(about: dict[str, Any]) -> Iterator[str]:
    yield "### How the queue is measured"
    yield ""
    yield "- One run, one server; each queue in a database of its own, installed by its own"
    yield "  package, as a role that is no superuser (for pgagent: with the access of a worker)."
    yield f"  The queues take turns; figures are medians of {about['rounds']} rounds of"
    yield f"  {about['seconds']} s, and ratios are of medians."
    yield "- pgbench, four clients, prepared statements, a transaction a call: a claim of one job,"
    yield "  then its completion. The scripts are in `test/bench/queues`. Each job is on a thread"
    yield "  of its own. pgagent's part includes session, fence, attempt and event rows, which"
    yield "  pgmq's read and archive does not keep. A claim of absurd or procrastinate reads"
    yield "  more, the longer the queue is: the bars are about a long one."
    yield "- Python workers: one process and one event loop, ten jobs at once, no-op jobs,"
    yield "  from a full queue to an empty one. pgagent's no-op is a LangGraph graph of one node,"
    yield "  with its checkpoints."
    yield f"- Server: {about['server']}, on the same machine; changed settings:"
    yield f"  {about['settings']}. The rest is as the server comes: fsync is on."
    yield f"- Packages: {about['client']}."
    yield f"- {about['cpus']} processors; load {about['load_before']:.1f} before and"
    yield f"  {about['load_after']:.1f} after; {about['minutes']:.0f} minutes."
    yield f"  Begun {about['begun']}."
    yield ""


def _rates(title: str, found: Figures) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    if "jobs" in found:
        yield f"{found['jobs']:,} jobs, to the last."
        yield ""
    ours = median(found["rates"]["pgagent"])
    rows = [
        [
            LABELS[key],
            f"{median(samples):,.0f}",
            f"{min(samples):,.0f}-{max(samples):,.0f}",
            f"{ours / median(samples):.2f}",
        ]
        for key, samples in found["rates"].items()
    ]
    if "batches" in found:
        samples = found["batches"]
        span = f"{min(samples):,.0f}-{max(samples):,.0f}"
        rows.append(["pgagent, in batches of 50", f"{median(samples):,.0f}", span, ""])
    yield from table(["queue", "jobs a second", "range", "pgagent / it"], rows)


def _held(figures: Figures) -> Iterator[str]:
    if "held" not in figures:
        return
    found = figures["held"]
    yield "### A snapshot held by another session"
    yield ""
    yield f"For {found['seconds']} seconds; {found['dead']:,} rows of jobs were dead in the end."
    yield "Nothing can remove them, and claims pass them by."
    yield ""
    rows = [
        [
            LABELS[key],
            f"{found['without'][key]:,.0f}",
            f"{last(found, key):,.0f}",
            f"{last(found, key) / found['without'][key]:.2f}",
        ]
        for key in found["rates"]
    ]
    yield from table(["queue", "without, jobs a second", "in the end", "factor"], rows)
    buffers = sorted(found["buffers"])
    yield f"Buffers of a claim then: median {median(buffers):.0f}, the second largest of"
    yield f"{len(buffers)} {buffers[-2]:,}, the largest {buffers[-1]:,} (it looked from the start)."
    yield ""


def _latency(figures: Figures) -> Iterator[str]:
    if "latency" not in figures:
        return
    found = figures["latency"]
    yield "### Pick-up"
    yield ""
    yield "From enqueue to claim, by an idle worker that polls every"
    yield f"{1000 * found['poll']:.0f} ms:"
    yield ""
    rows = [
        [key, f"{1000 * median(samples):.0f}", f"{1000 * p99(samples):.0f}"]
        for key, samples in (("off", found["off"]), ("on", found.get("on")))
        if samples
    ]
    yield from table(["hint", "median, ms", "p99, ms"], rows)


def _safety(figures: Figures) -> Iterator[str]:
    if "safety" not in figures:
        return
    found = figures["safety"]
    yield "### What the fence is worth"
    yield ""
    yield f"{found['jobs']} jobs of {found['steps']} steps, {found['workers']} workers, a lease"
    yield f"of {found['lease']:g} s. Workers are killed (SIGKILL) or stopped for longer than their"
    yield "lease (SIGSTOP) at random, and the server is stopped once without a shutdown. A step is"
    yield "a message that must stand once. The second build lacks the condition on the token in"
    yield "`append_message`, and nothing else."
    yield ""
    rows = [
        [
            what,
            *(
                "" if found[build].get(key) is None else f"{found[build][key]:,.4g}"
                for build in ("fenced", "unfenced")
            ),
        ]
        for key, what in (
            ("kills", "kills"),
            ("stops", "stops past the lease"),
            ("restarts", "restarts of the server"),
            ("reclaims", "runs that were taken back"),
            ("refused", "stale writes that were refused"),
            ("doubled", "effects doubled"),
            ("lost", "effects lost"),
            ("reclaim_seconds", "seconds from the last write to the next claim, median"),
            ("reclaim_longest", "the longest"),
        )
    ]
    yield from table(["", "with the fence", "without the check"], rows)
