"""The command line: ``pgagentctl``."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import psycopg
import typer

from pgagent import cli_approvals, cli_history, cli_jobs, cli_worker
from pgagent import install as installer
from pgagent.client import Client
from pgagent.terminal import Dsn, console, refusing

app = typer.Typer(
    name="pgagentctl",
    help="Durable, resumable agents in PostgreSQL. Not pgAdmin's pgAgent.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(cli_jobs.app, name="jobs")
app.command()(cli_history.history)
app.add_typer(cli_approvals.app, name="approvals")
app.command(help=cli_worker.HELP)(cli_worker.worker)


@app.command()
def install(dsn: Dsn = "") -> None:
    """Install pgagent in a database, if it is not there."""
    hint = "" if dsn else "This was libpq's default. Another: --dsn postgresql://user@host/database"
    with refusing(psycopg.Error, installer.InstallError, hint=hint):
        done = installer.install(dsn)
    said = {
        "extension": f"created the extension pgagent {done.version}",
        "plain": f"installed pgagent {done.version} by its script",
        "nothing": f"pgagent {done.version} is installed already",
    }
    console.print(said[done.did])


@app.command()
def version(dsn: Dsn = "") -> None:
    """Show the version of this package and, with --dsn, of the schema in a database."""
    console.print(f"package {installer.packaged_version()}")
    if not dsn:
        return
    with refusing(psycopg.Error), psycopg.connect(dsn) as connection:
        found = connection.execute("select to_regprocedure('pgagent.version()') is not null")
        if found.fetchone() == (True,):
            row = connection.execute("select pgagent.version()").fetchone()
            console.print(f"database {row[0] if row else ''}")
        else:
            console.print("database: not installed")
            raise typer.Exit(1)


@app.command()
def metadata_index(dsn: Dsn = "") -> None:
    """Make the index for lists of checkpoints of all threads by metadata. Holds up no run."""
    with refusing(psycopg.Error), psycopg.connect(dsn, autocommit=True) as connection:
        statements = Client(connection).enable_metadata_index()
        for statement in statements:
            console.print(statement, markup=False, highlight=False)
            connection.execute(statement)
    if not statements:
        console.print("the index is there already")


@app.command()
def up(
    data: Annotated[
        Path | None,
        typer.Option(help="Data directory to keep; without it nothing is kept.", file_okay=False),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="TCP port; a free one by default.")
    ] = None,
) -> None:
    """Run a PostgreSQL server with pgagent for development, until Ctrl-C."""
    from pgagent.embedded import Server, ServerError

    with refusing(ServerError), Server(datadir=data, port=port) as server:
        installer.install(server.dsn())
        console.print(server.dsn(), markup=False)
        console.print("Ctrl-C stops it" + ("." if data else " and removes all data."))
        with contextlib.suppress(KeyboardInterrupt):
            while server.running:
                time.sleep(0.2)


if __name__ == "__main__":
    app()
