"""What goes wrong, one exception a SQLSTATE of class PA.

The server decides and words every refusal (``select * from pgagent.errors``); these classes give it
a name in Python. Each carries ``sqlstate``, ``detail`` (the ids concerned) and ``hint`` (what to do
next).
"""

from __future__ import annotations

from typing import ClassVar

import psycopg


class PgAgentError(Exception):
    """Base of all errors that the engine raises on purpose."""

    sqlstate: ClassVar[str] = "PA000"

    def __init__(self, message: str, *, detail: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self.sqlstate}: {self.args[0]}"]
        if self.detail:
            lines.append(f"DETAIL: {self.detail}")
        if self.hint:
            lines.append(f"HINT: {self.hint}")
        return "\n".join(lines)


class ThreadBusy(PgAgentError):
    """Another run owns the thread, and the write carried no fencing token."""

    sqlstate = "PA001"


class StaleToken(PgAgentError):
    """The fencing token is not the one that owns the thread now: this run lost it."""

    sqlstate = "PA002"


class NotFound(PgAgentError):
    """No such thread, job or tool call."""

    sqlstate = "PA003"


class IdempotencyConflict(PgAgentError):
    """The key was used before with another payload."""

    sqlstate = "PA004"


class IllegalTransition(PgAgentError):
    """The row is in a state from which this move is not possible."""

    sqlstate = "PA005"


class ThreadGone(PgAgentError):
    """The thread was deleted or archived."""

    sqlstate = "PA006"


class BaseMissing(PgAgentError):
    """What this write builds on is not stored."""

    sqlstate = "PA007"


class BadArgument(PgAgentError):
    """An argument is missing, malformed or out of range."""

    sqlstate = "PA008"


class UnreadableValue(BadArgument):
    """A stored value is not loaded: not encrypted, another key, or a type that is not allowed."""


class LimitExceeded(PgAgentError):
    """An argument is larger than ``pgagent.limits`` allows."""

    sqlstate = "PA009"


class HistoryBroken(PgAgentError):
    """A needed ancestor is not stored, or the history has a cycle."""

    sqlstate = "PA010"


class Forbidden(PgAgentError):
    """The caller may not do this, or the thread belongs to somebody else."""

    sqlstate = "PA011"


class HeadMoved(PgAgentError):
    """The thread went on meanwhile: reload and retry."""

    sqlstate = "PA012"


_MISSING = (psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedTable)

BY_SQLSTATE: dict[str, type[PgAgentError]] = {
    cls.sqlstate: cls for cls in PgAgentError.__subclasses__()
}


def _advise(error: psycopg.Error) -> None:
    """Notes on an error of the server what to do, where pgagent is missing or not granted."""
    said = error.diag.message_primary or ""
    if isinstance(error, _MISSING) and "pgagent" in said:
        advice = "pgagent is not installed in this database: saver.setup(), or pgagentctl install"
    elif isinstance(error, psycopg.errors.UndefinedFunction) and "pgagent" in said:
        advice = "Database and package may be of different versions: pgagentctl version --dsn ..."
    elif isinstance(error, psycopg.errors.InsufficientPrivilege):
        advice = (
            "The owner of the schema pgagent gives access: "
            "select pgagent.grant_access('<role>', '<reader, tenant, worker or admin>')"
        )
    else:
        return
    if advice not in getattr(error, "__notes__", []):
        error.add_note(advice)


def translate(error: psycopg.Error) -> Exception:
    """The exception for a database error: ours for class PA, the error itself for any other."""
    cls = BY_SQLSTATE.get(error.sqlstate or "")
    if cls is None:
        _advise(error)
        return error
    diag = error.diag
    return cls(
        diag.message_primary or str(error),
        detail=diag.message_detail or "",
        hint=diag.message_hint or "",
    )
