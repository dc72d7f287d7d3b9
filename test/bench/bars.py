"""What the figures of the checkpoint store must reach."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MB = 1024 * 1024
PAGE = 8192
Figures = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    """A figure against what it must reach: at most, or at least, so much."""

    what: str
    found: float
    bar: float
    stretch: float | None = None
    at_least: bool = False
    unit: str = "x"

    @property
    def holds(self) -> bool:
        """Whether it does."""
        return self.found >= self.bar if self.at_least else self.found <= self.bar


def ratio(samples: dict[str, list[float]], other: str, key: str = "ours") -> float:
    """Median against median: below 1 is less than the other."""
    return median(samples[key]) / median(samples[other])


def total(sizes: dict[str, int]) -> int:
    """All parts together."""
    return sum(sizes.values())


def doublings(bytes_by_turns: dict[str, int]) -> list[float]:
    """How bytes grow at each doubling of the turns."""
    sizes = list(bytes_by_turns.values())
    return [later / max(earlier, PAGE) for earlier, later in pairwise(sizes)]


def p95(samples: list[float]) -> float:
    """The time that 95 of 100 stay below."""
    return quantiles(samples, n=20)[-1] if len(samples) > 1 else samples[0]


def trend(samples: list[float], part: int = 10) -> float:
    """The 95th percentile of the last tenth against that of the first."""
    size = len(samples) // part
    return p95(samples[-size:]) / p95(samples[:size])


def bars(figures: Figures) -> Iterator[Bar]:
    """Every bar whose figures were taken."""
    for name, found in figures.items():
        yield from _BARS.get(name, lambda _: iter(()))(found)


def _agent_real(found: Figures) -> Iterator[Bar]:
    what, seconds = f"agent of {found['turns']} turns", found["seconds"]
    yield Bar(f"{what}: time / stock", ratio(seconds, "stock"), 0.45, 0.35)
    yield Bar(f"{what}: time / in memory", ratio(seconds, "memory"), 1.2, 1.0)
    yield Bar(f"{what}: time / DeltaChannel", ratio(seconds, "delta"), 1.25, 1.0)


def _agent_random(found: Figures) -> Iterator[Bar]:
    what, seconds = f"agent of {found['turns']} turns, random letters", found["seconds"]
    yield Bar(f"{what}: time / stock", ratio(seconds, "stock"), 0.2)
    yield Bar(f"{what}: time / in memory", ratio(seconds, "memory"), 1.0)


def _agent_long(found: Figures) -> Iterator[Bar]:
    what, seconds = f"agent of {found['turns']:,} turns", found["seconds"]
    yield Bar(f"{what}: time / stock", ratio(seconds, "stock"), 0.25)
    yield Bar(f"{what}: time / in memory", ratio(seconds, "memory"), 0.8)


def _disk(found: Figures) -> Iterator[Bar]:
    ours = total(found["sizes"]["ours"])
    what = f"disk of a thread of {found['turns']} turns"
    yield Bar(f"{what} / its messages", ours / found["raw"], 8)
    yield Bar(f"{what} / stock", ours / total(found["sizes"]["stock"]), 0.12)
    yield Bar(f"{what} / DeltaChannel", ours / total(found["sizes"]["delta"]), 1.2)


def _disk_long(found: Figures) -> Iterator[Bar]:
    share = total(found["sizes"]["ours"]) / total(found["sizes"]["stock"])
    yield Bar(f"disk of a thread of {found['turns']:,} turns / stock", share, 0.04)


def _growth(found: Figures) -> Iterator[Bar]:
    for key, what in (("ours", "bytes"), ("window", "bytes, trimmed to 50 each turn")):
        turns = list(found[key])
        yield Bar(
            f"{what} at each doubling, {turns[0]} to {int(turns[-1]):,} turns: most",
            max(doublings(found[key])),
            2.1,
        )


def _writes(found: Figures) -> Iterator[Bar]:
    what = f"at {found['messages']:,} messages / stock"
    if found["messages"] > 100:
        yield Bar(f"put {what}", ratio(found["put"], "stock"), 0.25)
        return
    yield Bar(f"put {what}", ratio(found["put"], "stock"), 0.8)
    yield Bar(f"put_writes {what}", ratio(found["put_writes"], "stock"), 1.0)


def _reads(found: Figures) -> Iterator[Bar]:
    received = found["received"]
    what = f"list of {found['messages'] + 1} checkpoints"
    yield Bar(
        f"get_tuple at {found['messages']} messages / stock", ratio(found["get"], "stock"), 1.1
    )
    yield Bar(f"{what}: time / stock", ratio(found["list"], "stock"), 0.15)
    yield Bar(
        f"{what}: bytes received / stock",
        received["ours"]["list"] / received["stock"]["list"],
        0.15,
    )


def _throughput(found: Figures) -> Iterator[Bar]:
    way = f"{1000 * found['round_trip']:.0f} ms round trip"
    yield Bar(
        f"{found['at_once']} runs over {found['connections']} connections, {way}: rate / stock",
        1 / ratio(found["seconds"], "stock"),
        6 if found["round_trip"] < 0.008 else 8,
        at_least=True,
    )


def _held(found: Figures) -> Iterator[Bar]:
    what = f"{found['puts']:,} puts, a snapshot held: p95 of the last tenth / of the first"
    yield Bar(what, trend(found["put"]["ours"]), 2)


def _memory(found: Figures) -> Iterator[Bar]:
    what = f"memory after {found['threads']:,} threads of {found['messages']} messages: grown by"
    yield Bar(what, (found["after"] - found["before"]) / MB, 128, unit=" MB")


_BARS = {
    "agent_real": _agent_real,
    "agent_random": _agent_random,
    "agent_long": _agent_long,
    "disk": _disk,
    "disk_long": _disk_long,
    "growth": _growth,
    "writes_20": _writes,
    "writes_1000": _writes,
    "reads": _reads,
    "throughput_5ms": _throughput,
    "throughput_10ms": _throughput,
    "held": _held,
    "memory": _memory,
}
