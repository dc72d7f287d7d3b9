"""What the figures of the queue must reach."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from bench.bars import Bar, Figures
from bench.workers import p99

if TYPE_CHECKING:
    from collections.abc import Iterator


def bars(figures: Figures) -> Iterator[Bar]:
    """Every bar whose figures were taken."""
    for name, found in figures.items():
        if found is not None:
            yield from _BARS.get(name, lambda _: iter(()))(found)


def _rate(what: str, found: float, bar: float, stretch: float | None = None) -> Bar:
    return Bar(what, found, bar, stretch, at_least=True)


def _single(found: Figures) -> Iterator[Bar]:
    rates = {key: median(samples) for key, samples in found["rates"].items()}
    ours = rates["pgagent"]
    what = f"claim + complete, {found['clients']} clients: rate /"
    for key, bar, stretch in (
        ("pgmq", 0.65, 0.9),
        ("absurd", 3, None),
        ("procrastinate", 0.5, None),
    ):
        if key in rates:
            yield _rate(f"{what} {key}", ours / rates[key], bar, stretch)
    yield _rate("in batches of 50 / one by one", median(found["batches"]) / ours, 4)


def _workers(found: Figures) -> Iterator[Bar]:
    rates = {key: median(samples) for key, samples in found["rates"].items()}
    for key in ("procrastinate", "pgqueuer"):
        yield _rate(f"through the Python workers: rate / {key}", rates["pgagent"] / rates[key], 2)


def _backlog(found: Figures) -> Iterator[Bar]:
    small, large = (median(found["rates"][str(found[key])]) for key in ("small", "large"))
    what = (
        f"{10 * found['large']:,} ready jobs in {found['large']:,} threads / in {found['small']:,}"
    )
    yield _rate(what, large / small, 0.9)


def last(found: Figures, key: str) -> float:
    """The rate in the last minute of a held snapshot."""
    end = found["rates"][key][-1][0]
    return median(tps for at, tps in found["rates"][key] if at > end - found["last"])


def _held(found: Figures) -> Iterator[Bar]:
    what = f"a snapshot held for {found['seconds']} s, the end"
    ours = last(found, "pgagent")
    yield _rate(f"{what} / without", ours / found["without"]["pgagent"], 0.75, 0.9)
    yield _rate(f"{what} / pgmq then", ours / last(found, "pgmq"), 3)
    below = sum(buffers < 200 for buffers in found["buffers"]) / len(found["buffers"])
    yield Bar("claims under 200 buffers then", 100 * below, 99, at_least=True, unit=" of 100")


def _finished(found: Figures) -> Iterator[Bar]:
    what = f"claim beside {found['jobs']:,} jobs that have ended"
    yield Bar(f"{what}: finding the job", median(found["select"]), 20, unit=" buffers")
    yield Bar(f"{what}: the whole call", median(found["call"]), 60, unit=" buffers")


def _enqueue(found: Figures) -> Iterator[Bar]:
    what = f"enqueue in batches of {found['batch']:,}"
    for key, bar, stretch in (("new", 8, 12), ("existing", 12, 25)):
        said = "new sessions, with keys" if key == "new" else "threads that exist"
        found_rate = median(found[key]) / 1000
        yield Bar(f"{what}, {said}", found_rate, bar, stretch, at_least=True, unit=" k/s")


def _latency(found: Figures) -> Iterator[Bar]:
    yield Bar("pick-up, hint off: p99 / poll interval", p99(found["off"]) / found["poll"], 1)
    if found.get("on"):
        yield Bar("pick-up, hint on: median", 1000 * median(found["on"]), 20, unit=" ms")


def _safety(found: Figures) -> Iterator[Bar]:
    what = "killed and stopped workers, with the fence"
    yield Bar(f"{what}: effects doubled", found["fenced"]["doubled"], 0, unit="")
    yield Bar(f"{what}: effects lost", found["fenced"]["lost"], 0, unit="")


_BARS: dict[str, Any] = {
    "single": _single,
    "workers": _workers,
    "backlog": _backlog,
    "held": _held,
    "finished": _finished,
    "enqueue": _enqueue,
    "latency": _latency,
    "safety": _safety,
}
