"""``pgagentctl jobs``: look at jobs and queues, and put right what went wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, TypeVar
from uuid import UUID

import psycopg
import typer

from pgagent.client import Client
from pgagent.errors import PgAgentError
from pgagent.terminal import Dsn, console, errors, refusing

T = TypeVar("T")

app = typer.Typer(
    help="Look at jobs and queues; cancel jobs, and let dead ones run again.",
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one line a row.")]
Ids = Annotated[list[UUID], typer.Argument(help="Ids of jobs.", metavar="JOB_ID...")]
Queue = Annotated[str | None, typer.Option(help="Only this queue.")]
Limit = Annotated[int, typer.Option(min=1, help="How many at most.")]
By = Annotated[str | None, typer.Option(help="Who does this; the database role by default.")]
Reason = Annotated[str | None, typer.Option(help="Why; kept in the job's events.")]


class Status(StrEnum):
    """Where a job may stand."""

    WAITING = "WAITING"
    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    AWAITING_HUMAN = "AWAITING_HUMAN"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMED_OUT = "TIMED_OUT"


@contextmanager
def _client(dsn: str) -> Iterator[Client]:
    with (
        refusing(psycopg.Error, PgAgentError),
        psycopg.connect(dsn, autocommit=True) as connection,
    ):
        yield Client(connection)


def _plain(value: Any) -> Any:
    """What JSON has no word for, as text."""
    return value.total_seconds() if isinstance(value, timedelta) else str(value)


def _fields(row: Any) -> dict[str, Any]:
    return dataclasses.asdict(row) if dataclasses.is_dataclass(row) else row._asdict()  # type: ignore[arg-type]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    if isinstance(value, float):
        return f"{value:.1f} s"
    if isinstance(value, (dict, list)):
        return json.dumps(value, default=_plain)
    return str(value)


def _print(rows: Sequence[Any], columns: Mapping[str, str], *, as_json: bool, none: str) -> None:
    """A line of JSON a row, or a table of some of its fields."""
    if as_json:
        for row in rows:
            console.print(json.dumps(_fields(row), default=_plain), markup=False)
        return
    if not rows:
        console.print(none)
        return
    # No box and nothing cut to the terminal: ids are copied, lines are searched.
    cells = [list(columns.values())]
    cells += [[_cell(_fields(row)[name])[:200] for name in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        console.print("  ".join(padded).rstrip(), markup=False, highlight=False)


@app.command("list")
def list_(
    dsn: Dsn = "",
    queue: Queue = None,
    status: Annotated[Status | None, typer.Option(help="Only these.", case_sensitive=False)] = None,
    thread: Annotated[str | None, typer.Option(help="Only those of this thread.")] = None,
    before: Annotated[
        UUID | None, typer.Option(help="Only older ones than this job: the next page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List jobs, the newest first."""
    with _client(dsn) as client:
        jobs = client.list_jobs(
            queue=queue,
            status=status.value if status else None,
            thread_id=thread,
            before_job=before,
            max_jobs=limit,
        )
    columns = {
        "job_id": "job", "thread_id": "thread", "queue": "queue", "status": "status",
        "attempt": "attempt", "worker": "worker", "created_at": "created",
    }  # fmt: skip
    _print(jobs, columns, as_json=as_json, none="no such jobs")


@app.command()
def show(
    job_id: Annotated[UUID, typer.Argument(help="Id of the job.")],
    dsn: Dsn = "",
    as_json: AsJson = False,
) -> None:
    """Show a job and its history: every event and every delivery, with its error.

    Exits with 1 when there is no such job.
    """
    with _client(dsn) as client:
        job = client.get_job(job_id)
        history = client.job_history(job_id)
    if job is None:
        errors.print(f"no such job: {job_id}", style="red", markup=False)
        raise typer.Exit(1)
    fields = _fields(job)
    if as_json:
        fields["history"] = [_fields(entry) for entry in history]
        console.print(json.dumps(fields, default=_plain), markup=False)
        return
    for name, value in fields.items():
        if value is not None:
            console.print(f"{name:<22}{_cell(value)}", markup=False, highlight=False)
    console.print()
    columns = {
        "happened_at": "when", "kind": "what", "attempt": "attempt", "worker": "worker",
        "data": "data",
    }  # fmt: skip
    _print(history, columns, as_json=False, none="")


def _each(ids: Sequence[UUID], act: Callable[[UUID], str]) -> None:
    """Does something to each job and says what came of it; 1 when one was refused."""
    refused = False
    for job_id in ids:
        try:
            console.print(f"{job_id} {act(job_id)}", markup=False, highlight=False)
        except PgAgentError as error:
            refused = True
            errors.print(f"{job_id} {error}", style="red", markup=False, highlight=False)
    if refused:
        raise typer.Exit(1)


@app.command()
def cancel(
    ids: Ids,
    dsn: Dsn = "",
    reason: Reason = None,
    by: By = None,
    force: Annotated[
        bool, typer.Option("--force", help="End running jobs at once; their writes are refused.")
    ] = False,
) -> None:
    """Cancel jobs. One that runs is asked to stop, and does after its step.

    Exits with 1 when a job was refused; the others are cancelled all the same.
    """
    with _client(dsn) as client:

        def act(job_id: UUID) -> str:
            done = client.cancel_job(job_id, reason=reason, cancelled_by=by, force=force)
            return {
                "cancelled": "cancelled",
                "requested": "is running and will stop",
                "ended": f"had ended: {done.status}",
            }[done.outcome]

        _each(ids, act)


@app.command()
def requeue(
    ids: Ids,
    dsn: Dsn = "",
    reason: Reason = None,
    by: By = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds before it may run.")] = 0,
    max_attempts: Annotated[
        int | None, typer.Option(min=1, help="Deliveries without progress from now on.")
    ] = None,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Begin with the payload, whatever is stored.")
    ] = False,
) -> None:
    """Let jobs that FAILED, TIMED_OUT or were CANCELLED run again, attempts counted anew.

    A job goes on from its last checkpoint unless another run has used the thread since. Exits with
    1 when a job was refused; the others are requeued all the same.
    """
    with _client(dsn) as client:

        def act(job_id: UUID) -> str:
            done = client.requeue_job(
                job_id,
                reason=reason,
                requeued_by=by,
                delay=delay,
                max_attempts=max_attempts,
                from_start=from_start,
            )
            return f"{'requeued' if done.requeued else 'was not over'}: {done.status}"

        _each(ids, act)


@app.command()
def dead(dsn: Dsn = "", queue: Queue = None, limit: Limit = 50, as_json: AsJson = False) -> None:
    """List jobs that FAILED or TIMED_OUT, the last first. --json has every delivery's error.

    outcome: failed (the work did), lost (the worker went silent) or timed_out.
    """
    with _client(dsn) as client:
        letters = client.dead_letters(queue=queue, max_jobs=limit)
    columns = {
        "job_id": "job", "thread_id": "thread", "queue": "queue", "status": "status",
        "outcome": "outcome", "lost": "lost", "failed": "failed", "completed_at": "ended",
        "error": "error",
    }  # fmt: skip
    _print(letters, columns, as_json=as_json, none="no dead jobs")


@app.command()
def queues(
    dsn: Dsn = "",
    max_count: Annotated[
        int, typer.Option(min=1, help="Where counting stops: so many means so many or more.")
    ] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Show what each queue holds. Costs the same however many jobs have ended."""
    with _client(dsn) as client:
        stats = client.queue_stats(max_count)
    columns = {
        "queue": "queue", "ready": "ready", "delayed": "delayed", "running": "running",
        "expired": "expired", "waiting": "waiting", "awaiting_human": "awaiting human",
        "oldest_due": "oldest due",
    }  # fmt: skip
    _print(stats, columns, as_json=as_json, none="no queue has a job that is not over")


@app.command()
def schedules(dsn: Dsn = "", as_json: AsJson = False) -> None:
    """List the schedules that enqueue jobs, with their last tick."""
    with _client(dsn) as client:
        found = client.list_schedules()
    columns = {
        "name": "name", "schedule": "schedule (UTC)", "thread": "thread", "queue": "queue",
        "scheduler": "scheduler", "last_tick_at": "last tick", "last_job_id": "last job",
    }  # fmt: skip
    _print(found, columns, as_json=as_json, none="no schedules")


@app.command()
def tick(dsn: Dsn = "", as_json: AsJson = False) -> None:
    """Enqueue what schedules are due: for cron or a timer, once a minute, where pg_cron is not."""
    with _client(dsn) as client:
        ticks = client.run_schedules()
    columns = {"name": "name", "tick": "tick", "outcome": "outcome", "job_id": "job"}
    _print(ticks, columns, as_json=as_json, none="nothing is due")
