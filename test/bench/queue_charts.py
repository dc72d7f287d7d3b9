"""Charts of the queue's figures."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from bench.peers import LABELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.bars import Figures

COLOURS = {
    "pgagent": "#b03a2e",
    "pgmq": "#7fb3d5",
    "absurd": "#c9a227",
    "procrastinate": "#9a9a9a",
    "pgqueuer": "#e08e79",
}


def draw(figures: Figures, directory: Path) -> Iterator[tuple[str, str]]:
    """Draw what there are figures for; file names and captions."""
    mpl.rcParams.update({"svg.hashsalt": "pgagent", "svg.fonttype": "none", "font.size": 9})
    for name, (needs, caption, chart) in _CHARTS.items():
        if not figures.get(needs):
            continue
        figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
        chart(figures[needs], axes)
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(directory / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)
        yield f"{name}.svg", caption


def _rates(found: Figures, axes: Any) -> None:
    keys = sorted(found["rates"], key=lambda key: median(found["rates"][key]))
    bars = axes.barh(
        [LABELS[key] for key in keys],
        [median(found["rates"][key]) for key in keys],
        color=[COLOURS[key] for key in keys],
    )
    axes.bar_label(bars, fmt="{:,.0f}", padding=3)
    axes.set_xlabel("jobs a second")


def _held(found: Figures, axes: Any) -> None:
    for key, progress in found["rates"].items():
        axes.plot(
            [at for at, _ in progress],
            [tps for _, tps in progress],
            color=COLOURS[key],
            label=LABELS[key],
        )
        axes.axhline(found["without"][key], color=COLOURS[key], linestyle=":", linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds that a snapshot is held (dotted: without)")
    axes.set_ylabel("jobs a second")
    axes.legend(frameon=False)


_CHARTS: dict[str, tuple[str, str, Callable[[Figures, Any], None]]] = {
    "queue_single": ("single", "Claim and complete, one by one", _rates),
    "queue_held": ("held", "Claims while another session holds a snapshot", _held),
    "queue_workers": ("workers", "Through the Python workers", _rates),
}
