"""``python -m pgagent.demo``."""

from __future__ import annotations

import contextlib
import itertools
import random
import signal
import time
from collections.abc import Iterator
from typing import Annotated

if __name__ == "__main__":
    # To import the rest takes a second: Ctrl-C ends that without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import typer
from rich.console import Console

from pgagent.demo.audit import Audit, audit, outcome
from pgagent.demo.mayhem import Action, Mayhem
from pgagent.demo.probe import Phase
from pgagent.demo.recording import own
from pgagent.demo.show import play, report
from pgagent.demo.stage import Pace, Stage
from pgagent.embedded import ServerError

# What comes again and again: a stop among seven kills.
ROUND: list[Action] = ["stop" if number == 1 else "kill" for number in range(8)]

console = Console(soft_wrap=True)
app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command()
def main(
    conversations: Annotated[
        int, typer.Option(min=1, help="How many, about three jobs each.")
    ] = 40,
    workers: Annotated[int, typer.Option(min=1, help="How many worker processes.")] = 4,
    seconds_between_kills: Annotated[float, typer.Option(min=0.1, help="On average.")] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Whom to kill and where; random.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the server up at the end, until Ctrl-C.")
    ] = False,
) -> None:
    """Kill agents and watch them finish anyway.

    Starts a PostgreSQL server of its own with pgagent, puts one job a user turn of some recorded
    conversations into its queue, and lets worker processes run them: a tool-calling LangGraph
    agent whose model and tools answer from the recordings. The workers connect as a role that has
    the access of a worker, and no more.

    About every second one of them is killed with SIGKILL: before the first checkpoint of its job,
    inside a node, between a tool's effect and its receipt, after the last checkpoint, or wherever
    it happens to be. Another worker goes on from the last checkpoint. Every eighth is only stopped,
    with SIGSTOP, until its job has been given to another; when it goes on, the server must refuse
    what it writes. (A call of the model takes 0.1 s here, and a worker stays for 0.02 s in each of
    the other places.)

    At the end every thread is compared with its recording, message by message, and the effects of
    the tools, which went to a table without any unique key, with the recorded calls. The exit
    status is 1 if anything was lost or done twice.
    """
    seed = random.randrange(10_000) if seed is None else seed
    console.print(f"seed {seed}: {conversations} conversations, {workers} workers", highlight=False)
    with refusing_politely(), Stage(own(conversations), workers, Pace()) as stage:

        def due(mayhem: Mayhem) -> bool:
            # Where workers start slowly they die slowly, and the last jobs are left in peace, or
            # they would never end.
            ready = sum(
                worker.phase is not Phase.STARTING and not worker.stopped
                for worker in stage.crew.workers
            )
            return (
                time.monotonic() - mayhem.last > seconds_between_kills
                and ready >= workers / 2
                and stage.total - stage.done > workers
            )

        actions = itertools.cycle(ROUND if workers > 1 else ROUND[:1])
        mayhem = Mayhem(stage, actions, due, random.Random(seed))
        play(stage, mayhem, console)
        counted = audit(stage, mayhem)
        console.print(report(counted))
        for fault in counted.faults:
            console.print(fault, style="red", markup=False, highlight=False)
        console.print(verdict(counted), highlight=False)
        if keep:
            wait(stage)
    raise typer.Exit(1 if counted.faults else 0)


@contextlib.contextmanager
def refusing_politely() -> Iterator[None]:
    """Say without a traceback why there is no server."""
    try:
        yield
    except ServerError as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(1) from None


def verdict(counted: Audit) -> str:
    """The last line: what was counted."""
    return (
        f"demo: {counted.jobs['COMPLETED']} of {counted.jobs.total()} jobs completed, "
        f"{counted.kills.total()} workers killed, {counted.stops.total()} stopped, "
        f"{counted.refused.total()} stale writes refused, "
        f"{counted.model_calls} model calls for {counted.replies} recorded, "
        f"{counted.steps_again} unfinished steps run again, "
        f"{counted.effects} of {counted.effects_expected} effects: "
        f"{outcome(len(counted.faults))}"
    )


def wait(stage: Stage) -> None:
    """Leave the server up until Ctrl-C."""
    console.print(f"{stage.server.bin('psql')} '{stage.dsn}'", markup=False, highlight=False)
    console.print("Ctrl-C stops the server and removes everything.")
    with contextlib.suppress(KeyboardInterrupt):
        while stage.server.running:
            time.sleep(0.2)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    app()
