"""``pgagentctl approvals``: what runs ask people, and what people decide."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import psycopg
import typer

from pgagent.calls import Approval
from pgagent.client import Client
from pgagent.errors import HeadMoved, IllegalTransition, NotFound, PgAgentError
from pgagent.terminal import Dsn, console, refusing

app = typer.Typer(
    no_args_is_help=True,
    help="What paused runs ask people: list, show, decide.\n\n"
    "A run that asks waits for as long as it takes, and holds nothing meanwhile. Each question is "
    "decided once; the run goes on when all its questions are.\n\n"
    "Exit codes: 0 done; 1 no connection, or a decision that does not fit; 2 wrong usage; 3 no "
    "such approval; 4 decided otherwise before, too late, or the thread went on since.",
)

NOT_FOUND = 3
CONFLICT = 4

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Tenant = Annotated[
    str, typer.Option("--tenant", help="Act for this owner: its threads only (pgagent.user_id).")
]
ApprovalId = Annotated[UUID, typer.Argument(help="Its id, as list shows it.", show_default=False)]


class Verdict(StrEnum):
    """What a person may decide."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


@contextlib.contextmanager
def _client(dsn: str, tenant: str) -> Iterator[Client]:
    """One connection and one transaction for a command, and its exit codes."""
    with (
        refusing(PgAgentError, psycopg.Error),
        refusing(HeadMoved, IllegalTransition, code=CONFLICT),
        refusing(NotFound, code=NOT_FOUND),
        psycopg.connect(dsn) as connection,
    ):
        if tenant:
            connection.execute("select set_config('pgagent.user_id', %s, true)", (tenant,))
        yield Client(connection)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _print_json(value: Any) -> None:
    console.print(json.dumps(value, default=_plain, indent=2), markup=False, highlight=False)


def _line(text: str) -> None:
    console.print(text, markup=False, highlight=False)


def _what(approval: Approval) -> str:
    """What is asked, in a few words."""
    if approval.action is not None:
        return f"{approval.action['name']}({json.dumps(approval.action['args'])})"
    return json.dumps(approval.question)


def _time(value: datetime | None) -> str:
    return "-" if value is None else value.isoformat(sep=" ", timespec="seconds")


@app.command("list")
def list_(
    thread: Annotated[str | None, typer.Option(help="Of this thread only.")] = None,
    job: Annotated[UUID | None, typer.Option(help="Of this run only.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, oldest first.")] = 100,
    as_json: AsJson = False,
    tenant: Tenant = "",
    dsn: Dsn = "",
) -> None:
    """List what people are asked to decide now, oldest first.

    A line each: id, thread, when it was asked, until when, and what. Those marked "void" are of
    threads that went on since: their runs wait for pgagent.resume_job(job_id, '{}') to ask again.
    """
    with _client(dsn, tenant) as client:
        found = client.pending_approvals(thread, job_id=job, max_rows=limit)
    if as_json:
        _print_json([dataclasses.asdict(approval) for approval in found])
        return
    for approval in found:
        void = "  (void: the thread went on)" if approval.superseded else ""
        until = f"  until {_time(approval.expires_at)}" if approval.expires_at else ""
        what = _what(approval)
        shown = what if len(what) <= 200 else what[:197] + "..."
        _line(
            f"{approval.approval_id}  {approval.thread_id}  {_time(approval.asked_at)}{until}  "
            f"{shown}{void}"
        )
    if not found:
        _line("nothing waits for a decision")


@app.command()
def show(
    approval_id: ApprovalId, as_json: AsJson = False, tenant: Tenant = "", dsn: Dsn = ""
) -> None:
    """Show one approval whole: the question, what is possible, and what was decided."""
    with _client(dsn, tenant) as client:
        approval = client.get_approval(approval_id)
        if approval is None:
            raise NotFound("no such approval", detail=f"approval_id: {approval_id}")
    if as_json:
        _print_json(dataclasses.asdict(approval))
        return
    for name, value in dataclasses.asdict(approval).items():
        if value is None or value is False:
            continue
        if isinstance(value, datetime):
            shown = _time(value)
        elif name == "allowed":
            shown = ", ".join(value)
        else:
            shown = value if isinstance(value, str) else json.dumps(value, default=_plain)
        _line(f"{name.replace('_', ' '):15} {shown}")


@app.command()
def decide(
    approval_id: ApprovalId,
    decision: Annotated[Verdict, typer.Argument(help="What is decided.", show_default=False)],
    args: Annotated[
        str | None, typer.Option(help="With edit: the arguments to call with, a JSON object.")
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(help="With respond: text, or with --json-response any JSON value."),
    ] = None,
    json_response: Annotated[
        bool, typer.Option("--json-response", help="Read --response as JSON.")
    ] = False,
    reason: Annotated[
        str | None, typer.Option(help="Why; the model is told why a call was rejected.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who decides; the database role if left out.")] = (
        None
    ),
    checkpoint: Annotated[
        str | None, typer.Option(help="Refuse unless the question was asked at this checkpoint.")
    ] = None,
    as_json: AsJson = False,
    tenant: Tenant = "",
    dsn: Dsn = "",
) -> None:
    """Decide one approval, once: approve, edit, reject or respond.

    approve  the call is made as proposed.

    edit     it is made with --args, which must fit the tool's schema.

    reject   it is not made, and the model is told --reason.

    respond  it is not made, and --response stands for its result; or answers a plain question.

    The same decision again is answered with the recorded one. Another is refused: exit code 4.
    """
    for option, given_with, value in (("args", "edit", args), ("response", "respond", response)):
        if (value is not None) != (decision.value == given_with):
            raise typer.BadParameter(
                f"--{option} goes with {given_with}, and {given_with} needs it"
            )
    edited = None
    given: Any = response
    try:
        if args is not None:
            edited = {"args": json.loads(args)}
        if json_response and response is not None:
            given = json.loads(response)
    except ValueError as error:
        raise typer.BadParameter(f"not JSON: {error}") from None
    with _client(dsn, tenant) as client:
        decided = client.decide_approval(
            approval_id,
            decision.value,
            edited_action=edited,
            response=given,
            reason=reason,
            decided_by=by,
            checkpoint_id=checkpoint,
        )
    if as_json:
        _print_json(decided._asdict())
        return
    rest = ""
    if decided.job_status is not None:
        rest = f"; the run is {decided.job_status}"
        if decided.open_questions:
            rest += f" and waits for {decided.open_questions} more"
    _line(f"{decided.status} by {decided.decided_by} at {_time(decided.decided_at)}{rest}")
