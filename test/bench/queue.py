"""Queues side by side: writes the queue's part of docs/benchmarks.md, charts and raw figures."""

from __future__ import annotations

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench import claims, page, safety, workers
from bench.checkpoints import SETTINGS, say
from bench.peers import Stage, versions
from bench.queue_bars import bars
from pgagent.embedded import Server

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
KEYS = ("pgagent", "pgmq", "absurd", "procrastinate")


def measures(
    stage: Stage, size: float, rounds: int, seconds: float, held: int
) -> dict[str, Callable[[], Any]]:
    """Every figure, by name; size 1 is what the bars are about."""

    def at(number: int, least: int = 10) -> int:
        return max(int(number * size), least)

    return {
        "single": lambda: claims.single(stage, KEYS, rounds, seconds),
        "short": lambda: claims.short(stage, KEYS, rounds, at(1_000, 400)),
        "workers": lambda: workers.end_to_end(stage, at(2_000), rounds),
        "backlog": lambda: claims.backlog(stage, at(10_000), at(100_000), rounds, seconds),
        "held": lambda: claims.held(stage, held),
        "finished": lambda: claims.finished(stage, at(1_000_000)),
        "enqueue": lambda: claims.enqueue(stage, rounds),
        "latency": lambda: workers.latency(stage, at(200), 0.2),
        "safety": lambda: safety.safety(stage, at(200, 40), 6, at(60, 15), seed=1),
    }


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each queue's turn comes.")] = 5,
    seconds: Annotated[float, typer.Option(min=1, help="How long a turn is.")] = 10,
    held: Annotated[int, typer.Option(min=5, help="Seconds that a snapshot is held.")] = 300,
    size: Annotated[
        float, typer.Option(min=0.001, max=1, help="Smaller than what the bars are about.")
    ] = 1.0,
    quick: Annotated[bool, typer.Option(help="Everything, small: a few minutes.")] = False,
    only: Annotated[str, typer.Option(help="Some figures, by name, with commas between.")] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write; docs, or build/bench when anything is left out."),
    ] = None,
    bindir: Annotated[Path, typer.Option(help="PostgreSQL's programs, pgbench among them.")] = Path(
        "/usr/lib/postgresql/15/bin"
    ),
) -> None:
    """Compare queues on a server of their own, with fsync on, and check the bars.

    The peers are pgmq, absurd, procrastinate and pgqueuer, as their own packages install them.
    """
    whole = size == 1.0 and not only and not quick and held >= 300
    if quick:
        rounds, seconds, held, size = 2, 2, 15, 0.02
    out = out or (ROOT / "docs" if whole else ROOT / "build" / "bench")
    begun, before = time.monotonic(), os.getloadavg()[0]
    started = datetime.now(UTC)
    figures: dict[str, Any] = {}
    skipped: list[str] = []
    with Server(bindir, settings=SETTINGS) as server:
        wanted = measures(Stage(server), size, rounds, seconds, held)
        if unknown := set(filter(None, only.split(","))) - wanted.keys():
            raise typer.BadParameter(f"there is no {', '.join(sorted(unknown))}: {list(wanted)}")
        for name, measure in wanted.items():
            if only and name not in only.split(","):
                continue
            say(f"{name} ...")
            found = measure()
            if found is None:
                skipped.append(f"{name}: pgagent has no enqueue_jobs here.")
                say(f"  skipped: {skipped[-1]}")
                continue
            figures[name] = found
            for bar in bars({name: found}):
                say(f"  {'ok ' if bar.holds else 'NOT'} {bar.what}: {bar.found:.2f}{bar.unit}")
        described = server.psql("-c", "show server_version")
    packages = {**versions(), **{p: version(p) for p in ("psycopg", "langgraph")}}
    about = {
        "command": "make bench-queue",
        "server": f"PostgreSQL {described}",
        "settings": ", ".join(f"`{name} = {value}`" for name, value in server.settings.items()),
        "client": ", ".join(
            [f"Python {platform.python_version()}", *(f"{p} {v}" for p, v in packages.items())]
        ),
        "cpus": os.cpu_count(),
        "load_before": before,
        "load_after": os.getloadavg()[0],
        "begun": f"{started:%Y-%m-%d %H:%M} UTC",
        "minutes": (time.monotonic() - begun) / 60,
        "rounds": rounds,
        "seconds": seconds,
        "size": size,
        "skipped": skipped,
    }
    page.write(out, "queue", about, figures)
    broken = sum(not bar.holds for bar in bars(figures))
    say(f"{len(list(bars(figures)))} bars, {broken} missed: {out / 'benchmarks.md'}")


if __name__ == "__main__":
    typer.run(main)
