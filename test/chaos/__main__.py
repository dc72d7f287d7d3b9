"""Recorded conversations, replayed while workers die, stop, and lose their server."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from pgagent.demo.audit import Audit, audit, by_phase, outcome
from pgagent.demo.mayhem import Action, Mayhem
from pgagent.demo.probe import KILLED_IN, Phase
from pgagent.demo.recording import Recording, own
from pgagent.demo.show import play, report
from pgagent.demo.stage import Pace, Stage

LOGS = Path(__file__).parents[2] / "build" / "chaos"

console = Console(soft_wrap=True)
app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


class Check(NamedTuple):
    """Something that must hold, in figures."""

    claim: str
    holds: bool


def read_recordings(path: Path) -> list[Recording]:
    """Read recorded conversations in the format of OpenAI's chat.

    Either JSON lines with ``messages``, or tau-bench's own format: a JSON list with ``traj``. Plain
    or gzip.
    """
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    rows: list[dict[str, Any]] = (
        json.loads(text)
        if text.lstrip().startswith("[")
        else [json.loads(line) for line in text.splitlines() if line.strip()]
    )
    return [
        Recording.of(f"conversation-{number:03}", row.get("messages") or row["traj"])
        for number, row in enumerate(rows, 1)
    ]


def chosen(path: Path) -> list[Recording]:
    """Read what DATA names; an error of the command line when that cannot be replayed."""
    try:
        recordings = read_recordings(path)
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        EOFError,
        OSError,
        zlib.error,
    ) as error:
        said = f"{path} does not hold recorded conversations: {error!r}"
        raise typer.BadParameter(said, param_hint="--data") from None
    if not recordings:
        raise typer.BadParameter(f"{path} holds no conversation", param_hint="--data")
    return recordings


def checks(counted: Audit, kills: int, stops: int) -> list[Check]:
    """What must hold besides that nothing was lost and nothing done twice."""
    killed, stopped = counted.kills.total(), counted.stops.total()
    struck = killed + stopped
    hits = killed - counted.kills[Phase.IDLE]
    at_least, each = kills // 2, max(1, kills // 20)
    bound = counted.replies + struck
    again = counted.deliveries - counted.jobs.total()
    return [
        Check(f"{killed} kills = {kills} asked for", killed == kills),
        Check(f"{hits} of them hit a running job >= {at_least}", hits >= at_least),
        *(
            Check(f"{counted.kills[phase]} {phase.label} >= {each}", counted.kills[phase] >= each)
            for phase in KILLED_IN
        ),
        Check(f"{stopped} stops = {stops} asked for, each refused a write", stopped == stops),
        Check(
            f"{counted.model_calls} model calls <= "
            f"{counted.replies} recorded + {kills} kills + {stops} stops",
            counted.model_calls <= bound,
        ),
        Check(
            f"{counted.steps_again} unfinished steps run again <= {kills} kills + {stops} stops",
            counted.steps_again <= struck,
        ),
        Check(
            f"{counted.steps_again} unfinished steps run again <= {again} jobs delivered again",
            counted.steps_again <= again,
        ),
        Check(
            f"{counted.effects} effects = {counted.effects_expected} calls recorded",
            counted.effects == counted.effects_expected,
        ),
    ]


@app.command()
def main(
    data: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Recorded conversations: JSON lines with messages, or tau-bench's "
            "historical_trajectories/gpt-4o-airline.json. Without it, the package's own.",
        ),
    ] = None,
    kills: Annotated[int, typer.Option(min=1, help="How many workers to kill.")] = 60,
    stops: Annotated[
        int | None, typer.Option(min=0, help="How many to stop; a tenth of the kills, at least 4.")
    ] = None,
    restarts: Annotated[int, typer.Option(help="How often to restart the server.")] = 1,
    seed: Annotated[int | None, typer.Option(help="What chance does; random.")] = None,
    conversations: Annotated[
        int | None, typer.Option(min=1, help="How many of the recordings; all.")
    ] = None,
    workers: Annotated[int, typer.Option(min=2, help="How many worker processes.")] = 4,
    quick: Annotated[
        bool, typer.Option("--quick", help="The shorter cut: 12 kills, 25 conversations.")
    ] = False,
    model_ms: Annotated[int, typer.Option(help="How long a call of the model takes.")] = 60,
    pause_ms: Annotated[
        int, typer.Option(help="How long each other phase that is aimed at takes.")
    ] = 15,
) -> None:
    """Replay recorded conversations while workers die, stop, and lose the server.

    One job a user turn. The recorded assistant turns are the model, the recorded tool results the
    tools; where a conversation stands is in its thread, never in a process. Tools write to a table
    without any unique key.

    Kills are SIGKILL, spread over the run. They hit whoever has a job, but for those aimed at a
    phase that has had less than an eighth of them: before the first checkpoint of the job, inside a
    node (the model is called), between effect and receipt, after the last checkpoint. Workers stay
    --model-ms or --pause-ms in each of them, or a kill would hardly ever find them there. A kill
    counts for the phase that its victim died in.

    Stopped workers (SIGSTOP) go on (SIGCONT) when their job has been given to another, and must
    then be refused at least one write each (PA002, by the server's log). They are stopped while the
    model is called and between effect and receipt, where a write comes next; not between a tool's
    question whether to act and its act: no fence reaches an outside service, which has the
    idempotency key for that.

    In the middle the server is restarted, as by pg_ctl restart -m immediate.

    Chance chooses by --seed; what the machine does in between is not repeatable. With fewer than 60
    kills the bars are lower in proportion: half of the kills must hit a running job, a twentieth
    each phase.
    """
    seed = random.randrange(10_000) if seed is None else seed
    kills, conversations = (12, conversations or 25) if quick else (kills, conversations)
    stops = max(4, kills // 10) if stops is None else stops
    recordings = chosen(data)[:conversations] if data else own(conversations or 100)
    if data is None:
        say("no DATA: these are the package's own conversations")
    say(
        f"seed {seed}: {len(recordings)} conversations, {workers} workers, {kills} kills, "
        f"{stops} stops, {restarts} restarts"
    )

    chance = random.Random(seed)
    actions: list[Action] = ["kill" if n < kills else "stop" for n in range(kills + stops)]
    chance.shuffle(actions)
    pace = Pace(model=model_ms / 1000, pause=pause_ms / 1000)
    LOGS.mkdir(parents=True, exist_ok=True)
    logs = Path(tempfile.mkdtemp(prefix=f"seed-{seed}-", dir=LOGS))
    with Stage(recordings, workers, pace, logs) as stage:

        def due(mayhem: Mayhem) -> bool:
            return stage.done >= 0.9 * stage.total * mayhem.struck / len(actions)

        def restart() -> None:
            next_one = stage.restarts + 1
            if next_one <= restarts and stage.done >= stage.total * next_one / (restarts + 1):
                stage.restart_server()

        mayhem = Mayhem(stage, actions, due, chance)
        play(stage, mayhem, console, also=restart)
        counted = audit(stage, mayhem)
    console.print(report(counted))
    must_hold = checks(counted, kills, stops)
    for check in must_hold:
        say(f"{'ok ' if check.holds else 'NOT'} {check.claim}")
    for fault in counted.faults:
        say(fault)
    broken = len(counted.faults) + sum(not check.holds for check in must_hold)
    if broken:
        say(f"the logs of workers and server are in {logs}")
    else:
        shutil.rmtree(logs)
    say(
        f"chaos: seed {seed}, "
        f"{counted.jobs['COMPLETED']} of {counted.jobs.total()} jobs completed, "
        f"killed {by_phase(counted.kills)}, stopped {by_phase(counted.stops)}, "
        f"{stage.restarts} restarts, {counted.refused.total()} stale writes refused, "
        f"{counted.model_calls} model calls for {counted.replies} recorded, "
        f"{counted.steps_again} unfinished steps run again, "
        f"{counted.effects} of {counted.effects_expected} effects: {outcome(broken)}"
    )
    raise typer.Exit(1 if broken else 0)


def say(line: str) -> None:
    """Print a line as it is."""
    console.print(line, markup=False, highlight=False)


if __name__ == "__main__":
    app()
