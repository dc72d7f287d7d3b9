"""Charts of the figures, as SVG that does not change from run to run by itself."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from bench.bars import MB, Figures, p95, total
from bench.contenders import LABELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COLOURS = {
    "stock": "#9a9a9a",
    "delta": "#c9a227",
    "memory": "#7fb3d5",
    "ours": "#b03a2e",
    "named": "#e08e79",
}


def draw(figures: Figures, directory: Path) -> Iterator[tuple[str, str]]:
    """Draws what there are figures for; file names and captions."""
    mpl.rcParams.update({"svg.hashsalt": "pgagent", "svg.fonttype": "none", "font.size": 9})
    for name, (needs, caption, chart) in _CHARTS.items():
        if not needs <= figures.keys():
            continue
        figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
        chart(figures, axes)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=8)
        figure.savefig(directory / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
        yield f"{name}.svg", caption


def _time(figures: Figures, axes: Any) -> None:
    runs = {
        f"{found['turns']:,} turns,\n{found['text']} text": found["seconds"]
        for found in (figures[name] for name in ("agent_real", "agent_random", "agent_long"))
    }
    keys = list(next(iter(runs.values())))
    for place, key in enumerate(keys):
        heights = [
            median(seconds[key]) / median(seconds["stock"]) if key in seconds else 0
            for seconds in runs.values()
        ]
        positions = [group + (place - (len(keys) - 1) / 2) * 0.2 for group in range(len(runs))]
        bars = axes.bar(positions, heights, 0.18, color=COLOURS[key], label=LABELS[key])
        axes.bar_label(bars, [f"{height:.2f}" if height else "" for height in heights])
    axes.set_xticks(range(len(runs)), runs)
    axes.set_ylabel("time / PostgresSaver's")


def _bytes(figures: Figures, axes: Any) -> None:
    growth = dict(figures["growth"])
    window = growth.pop("window")
    for key, sizes in growth.items():
        turns, bytes_ = [int(n) for n in sizes], [size / MB for size in sizes.values()]
        axes.loglog(turns, bytes_, "o-", color=COLOURS[key], label=LABELS[key])
    axes.loglog(
        [int(n) for n in window],
        [size / MB for size in window.values()],
        *("o--",),
        color=COLOURS["ours"],
        label="pgagent, trimmed to 50 each turn",
    )
    axes.set_xlabel("turns")
    axes.set_ylabel("MB on disk, one thread")
    axes.minorticks_off()
    axes.set_xticks([int(n) for n in window], window)


def _latency(figures: Figures, axes: Any) -> None:
    groups = {
        "put,\n20 messages": figures["writes_20"]["put"],
        "put_writes,\n20 messages": figures["writes_20"]["put_writes"],
        "put,\n1,000 messages": figures["writes_1000"]["put"],
        "get_tuple,\n500 messages": figures["reads"]["get"],
    }
    keys = ["stock", "ours", "named"]
    for place, key in enumerate(keys):
        heights = [1000 * median(samples[key]) for samples in groups.values()]
        positions = [group + (place - 1) * 0.27 for group in range(len(groups))]
        bars = axes.bar(positions, heights, 0.25, color=COLOURS[key], label=LABELS[key])
        axes.bar_label(bars, [f"{height:.2f}" for height in heights])
    axes.set_xticks(range(len(groups)), groups)
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds, median")


def _held(figures: Figures, axes: Any) -> None:
    found = figures["held"]
    for key, samples in found["put"].items():
        size = max(len(samples) // 20, 2)
        parts = [samples[n : n + size] for n in range(0, len(samples) - size + 1, size)]
        places = [(n + 1) * size for n in range(len(parts))]
        axes.plot(
            places, [1000 * p95(part) for part in parts], color=COLOURS[key], label=LABELS[key]
        )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("puts of one thread, a snapshot held")
    axes.set_ylabel("milliseconds, 95th percentile")


def _disk(figures: Figures, axes: Any) -> None:
    sizes = figures["disk"]["sizes"]
    kept = {key: parts for key, parts in sizes.items() if key != "stock"}
    names = sorted({name for parts in kept.values() for name in parts})
    left = dict.fromkeys(kept, 0.0)
    for name in names:
        widths = [parts.get(name, 0) / MB for parts in kept.values()]
        if max(widths) < 0.02:
            continue
        axes.barh([LABELS[key] for key in kept], widths, left=list(left.values()), label=name)
        left = {key: left[key] + width for key, width in zip(kept, widths, strict=True)}
    axes.set_xlabel(f"MB on disk (PostgresSaver without it: {total(sizes['stock']) / MB:.1f} MB)")


_CHARTS: dict[str, tuple[set[str], str, Callable[[Figures, Any], None]]] = {
    "time": ({"agent_real", "agent_random", "agent_long"}, "Time of one invocation", _time),
    "bytes": ({"growth"}, "Bytes of one thread as it grows", _bytes),
    "disk": ({"disk"}, "What the bytes of one thread are", _disk),
    "latency": ({"writes_20", "writes_1000", "reads"}, "Single calls", _latency),
    "held": ({"held"}, "A snapshot held by another session", _held),
}
