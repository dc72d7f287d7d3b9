"""The run, and what can be seen of it: a live display on a terminal, elsewhere lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from pgagent.demo.audit import Audit, by_phase
from pgagent.demo.mayhem import Mayhem
from pgagent.demo.probe import Phase
from pgagent.demo.stage import Stage

_LINE_EVERY = 5.0  # seconds, where there is no terminal


class Screen:
    """Shows how far it is; `update` may be called as often as one likes."""

    def __init__(self, console: Console, stage: Stage, mayhem: Mayhem) -> None:
        self._console = console
        self._stage = stage
        self._mayhem = mayhem
        self._began = time.monotonic()
        self._drawn = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        self._live.stop()
        if kind is KeyboardInterrupt:
            self._console.print("stopping: the workers end their steps, then the server goes")

    def update(self) -> None:
        """Draw, if it is time."""
        now = time.monotonic()
        if now - self._drawn < (0.1 if self._live.is_started else _LINE_EVERY):
            return
        self._drawn = now
        if self._live.is_started:
            self._live.update(self._picture(), refresh=True)
        else:
            self._console.print(self._line(), highlight=False)

    def _picture(self) -> RenderableType:
        table = Table("worker", "process", box=None, header_style="dim")
        # A width that changed would move what stands beside it.
        table.add_column("doing", min_width=max(len(phase.label) for phase in Phase))
        for worker in self._stage.crew.workers:
            doing = "stopped" if worker.stopped else worker.phase.label
            table.add_row(worker.name, str(worker.process.pid), doing)
        return Group(
            self._line(),
            ProgressBar(self._stage.total, self._stage.done, width=60),
            "",
            Columns([table, _kills(self._mayhem)], padding=(0, 6)),
        )

    def _line(self) -> str:
        mayhem, stage = self._mayhem, self._stage
        return (
            f"{time.monotonic() - self._began:4.0f} s  {stage.done} of {stage.total} jobs, "
            f"{stage.jobs['IN_PROGRESS']} in progress, {mayhem.kills.total()} kills, "
            f"{len(mayhem.stops)} stops, {stage.refusals.read().total()} stale writes refused"
        )


def _kills(mayhem: Mayhem) -> Table:
    table = Table("killed", "", box=None, header_style="dim")
    for phase in Phase:
        if phase > Phase.IDLE:
            table.add_row(phase.label, str(mayhem.kills[phase]))
    return table


def play(
    stage: Stage,
    mayhem: Mayhem,
    console: Console,
    *,
    also: Callable[[], None] = lambda: None,
    deadline: float = 600.0,
) -> None:
    """Let the workers work and the mayhem strike, until all jobs have ended.

    Args:
        stage: where.
        mayhem: what happens to the workers.
        console: where to show it.
        also: called all the time, for what else may happen.
        deadline: seconds after which the run is given up, unfinished.
    """
    give_up = time.monotonic() + deadline
    with Screen(console, stage, mayhem) as screen:
        while (stage.done < stage.total or not mayhem.settled) and time.monotonic() < give_up:
            stage.look()
            mayhem.step()
            also()
            screen.update()
            time.sleep(0.001)


def report(counted: Audit) -> Table:
    """The table at the end."""
    table = Table(show_header=False, title="what was counted", title_justify="left")
    refused = ", ".join(f"{name} {count}" for name, count in counted.refused.most_common())
    rows = {
        "conversations": f"{counted.conversations}",
        "jobs": ", ".join(f"{count} {status}" for status, count in counted.jobs.items()),
        "kills": by_phase(counted.kills),
        "stops": by_phase(counted.stops),
        "deliveries": f"{counted.deliveries}",
        "stale writes refused": f"{counted.refused.total()}" + (f": {refused}" if refused else ""),
        "model calls": f"{counted.model_calls}, for {counted.replies} recorded",
        "unfinished steps run again": f"{counted.steps_again}",
        "effects recorded": f"{counted.effects}, of {counted.effects_expected} expected",
        "bytes stored": f"{counted.stored:,}, for {counted.said:,} said",
    }
    for what, count in rows.items():
        table.add_row(what, count)
    return table
