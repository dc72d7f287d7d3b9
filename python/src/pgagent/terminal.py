"""What the commands of ``pgagentctl`` share: where they print, and how they end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated

import psycopg
import typer
from rich.console import Console

console = Console(soft_wrap=True)
errors = Console(stderr=True, soft_wrap=True)

Dsn = Annotated[
    str,
    typer.Option(
        "--dsn", envvar="PGAGENT_DSN", help="Connection string; libpq's PG variables complete it."
    ),
]


@contextlib.contextmanager
def refusing(*kinds: type[Exception], hint: str = "", code: int = 1) -> Iterator[None]:
    """Ends the command with ``code`` and says why; without a connection, also what to do."""
    try:
        yield
    except kinds as error:
        errors.print(str(error).strip(), style="red", markup=False, highlight=False)
        for note in getattr(error, "__notes__", []):
            errors.print(note, markup=False, highlight=False)
        if hint and isinstance(error, psycopg.OperationalError):
            errors.print(hint, markup=False, highlight=False)
        raise typer.Exit(code) from None
