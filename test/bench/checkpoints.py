"""Checkpoint savers side by side: writes docs/benchmarks.md, its charts and its raw figures."""

from __future__ import annotations

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from bench import calls, page, runs, texts
from bench.bars import bars
from bench.contenders import Stage
from pgagent.embedded import Server

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
SETTINGS = {"max_connections": "100", "shared_buffers": "256MB", "max_wal_size": "4GB"}
PACKAGES = ("langgraph", "langgraph-checkpoint-postgres", "psycopg", "pgagent-langgraph")
SAVERS = ("stock", "delta", "memory", "ours")
STORED = ("stock", "delta", "ours")
CALLS = ("stock", "ours", "named")

console = Console(soft_wrap=True)


def measures(
    stage: Stage, real: texts.Text, size: float, rounds: int
) -> dict[str, Callable[[], Any]]:
    """Every figure, by name; size 1 is what the bars are about."""

    def at(number: int) -> int:
        return max(int(number * size), 2)

    doublings = [max(at(100), 10) * 2**n for n in range(5)]

    def growth() -> dict[str, Any]:
        return {
            # Its square is large enough at half of it.
            "stock": runs.growth(stage, "stock", real, doublings[:4]),
            "delta": runs.growth(stage, "delta", real, doublings),
            "ours": runs.growth(stage, "ours", real, doublings),
            "window": runs.growth(stage, "ours", real, doublings, window=50),
        }

    def throughput(round_trip: float) -> Callable[[], Any]:
        return lambda: runs.throughput(
            stage, ("stock", "ours"), real, round_trip=round_trip, count=max(rounds // 2, 1)
        )

    def writes(messages: int, threads: int) -> Callable[[], Any]:
        return lambda: calls.writes(
            stage, CALLS, real, messages=messages, count=max(at(threads), 3), timed=10
        )

    return {
        "agent_real": lambda: runs.agent(stage, SAVERS, real, at(250), rounds),
        "agent_random": lambda: runs.agent(stage, SAVERS, texts.by_chance(), at(250), rounds),
        "agent_long": lambda: runs.agent(stage, SAVERS, real, at(1_000), max(rounds // 2, 1)),
        "disk": lambda: runs.disk(stage, STORED, real, at(250)),
        "disk_long": lambda: runs.disk(stage, STORED, real, at(1_000)),
        "growth": growth,
        "writes_20": writes(20, 30),
        "writes_1000": writes(1_000, 6),
        "reads": lambda: calls.reads(stage, CALLS, real, at(250), rounds),
        "throughput_5ms": throughput(0.005),
        "throughput_10ms": throughput(0.010),
        "held": lambda: calls.held(stage, ("stock", "ours"), real, puts=max(at(10_000), 400)),
        "memory": lambda: calls.memory(stage, real, threads=at(10_000), messages=50),
    }


def main(
    data: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Recorded conversations, JSON lines with messages in the format of OpenAI's chat, "
            "plain or gzip. Without it, the package's own.",
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each contender's turn comes.")] = 7,
    size: Annotated[
        float, typer.Option(min=0.01, max=1, help="Smaller than what the bars are about.")
    ] = 1.0,
    only: Annotated[str, typer.Option(help="Some figures, by name, with commas between.")] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write; docs, or build/bench when anything is left out."),
    ] = None,
    bindir: Annotated[
        Path | None,
        typer.Option(help="PostgreSQL's programs; the package's, or else the installed ones."),
    ] = None,
    fsync: Annotated[
        bool, typer.Option(help="Whether a commit waits for the disk, as on a server with data.")
    ] = True,
) -> None:
    """Compare checkpoint savers on a server of their own, and check the bars.

    The contenders are stock langgraph-checkpoint-postgres, the same with the graph rewritten to
    DeltaChannel, LangGraph's InMemorySaver, and pgagent.
    """
    real = texts.recorded(data)
    if data is None:
        say("no DATA: the text is that of the package's own conversations")
    whole = size == 1.0 and not only
    out = out or (ROOT / "docs" if whole else ROOT / "build" / "bench")
    begun, started, load_before = datetime.now(UTC), time.monotonic(), os.getloadavg()[0]
    with Server(bindir, settings=SETTINGS, fsync=fsync) as server:
        figures = taken(measures(Stage(server), real, size, rounds), only)
        about = surroundings(server)
    about |= {
        "command": "make bench-checkpoints",
        "text": real.said,
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "begun": f"{begun:%Y-%m-%d %H:%M} UTC",
        "minutes": (time.monotonic() - started) / 60,
        "rounds": rounds,
        "size": size,
    }
    page.write(out, "checkpoints", about, figures)
    found = list(bars(figures))
    missed = sum(not bar.holds for bar in found)
    say(f"{len(found)} bars, {missed} missed: {out / 'benchmarks.md'}")


def taken(wanted: dict[str, Callable[[], Any]], only: str) -> dict[str, Any]:
    """Takes the figures, all or those named with commas between; says which bars hold.

    Raises:
        typer.BadParameter: there is no figure of some name.
    """
    names = list(filter(None, only.split(",")))
    if unknown := set(names) - wanted.keys():
        raise typer.BadParameter(f"there is no {', '.join(sorted(unknown))}: {list(wanted)}")
    figures: dict[str, Any] = {}
    for name, measure in wanted.items():
        if names and name not in names:
            continue
        say(f"{name} ...")
        figures[name] = measure()
        for bar in bars({name: figures[name]}):
            say(f"  {'ok ' if bar.holds else 'NOT'} {bar.what}: {bar.found:.2f}{bar.unit}")
    return figures


def surroundings(server: Server) -> dict[str, Any]:
    """What the figures were taken on."""
    return {
        "server": f"PostgreSQL {server.psql('-c', 'show server_version')}",
        "settings": ", ".join(f"`{name} = {value}`" for name, value in server.settings.items()),
        "client": ", ".join(
            [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in PACKAGES)]
        ),
        "cpus": os.cpu_count(),
    }


def say(line: str) -> None:
    """Prints a line as it is."""
    console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    typer.run(main)
