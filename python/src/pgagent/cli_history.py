"""``pgagentctl history``: the checkpoints of a thread as a tree, and what changed between two."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import psycopg
import typer
from rich.text import Text

from pgagent import history as histories
from pgagent.calls import Namespace, StoredCheckpoint
from pgagent.client import Client
from pgagent.errors import NotFound, PgAgentError
from pgagent.terminal import Dsn, console, refusing

STYLES = {
    "tree": "dim", "number": "yellow", "id": "dim", "good": "green", "bad": "red", "dim": "dim",
}  # fmt: skip
"""Colours of what is drawn; none where the output is no terminal."""


def say(line: histories.Line) -> None:
    """Prints a line of pieces as they are."""
    console.print(Text.assemble(*((part, STYLES.get(kind, "")) for part, kind in line)))


def history(
    thread: Annotated[str, typer.Argument(help="The thread.", show_default=False)],
    dsn: Dsn = "",
    namespace: Annotated[
        str, typer.Option(help="Of a subgraph, by the name that is listed below the tree.")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="At most so many checkpoints.")
    ] = 50,
    before: Annotated[
        int | None, typer.Option(min=1, help="Older ones than this number.", show_default=False)
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B",
            help="What changed from A to B, each a number or an id.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, for programs.")] = False,
) -> None:
    """Draw the checkpoints of a thread as a tree, newest first, or tell two apart.

    A line tells number, step, source, the nodes whose tasks it ends, bytes that
    it added, age and id. Sources are LangGraph's: input, loop, update (somebody
    changed the state), fork (a run went on from an old checkpoint).

    Branches are drawn as git log --graph draws them. "branch, on purpose" marks
    one that an update or a fork began; "branch, another had come first" one
    where two runs raced, or a run was given an old checkpoint to go on from.

    --diff A B tells what changed from A to B, channel by channel. Values are
    loaded as a saver loads them: types that are not listed are named, and
    neither imported nor called.

    Only what the role may see is shown. A tenant says who it is:
    PGOPTIONS="-c pgagent.user_id=alice" pgagentctl history t1
    """
    with (
        refusing(psycopg.Error, PgAgentError),
        psycopg.connect(dsn, autocommit=True) as connection,
    ):
        client = Client(connection)
        if diff is not None:
            _show_diff(client, thread, namespace, *diff, as_json=as_json)
        else:
            _show_tree(client, thread, namespace, limit, before, as_json=as_json)


def _show_tree(
    client: Client, thread: str, namespace: str, limit: int, before: int | None, *, as_json: bool
) -> None:
    found = client.checkpoints_between(
        thread, checkpoint_ns=namespace, after_seq=before, newest_first=True, max_rows=limit
    )
    if not found and before is None:
        raise NotFound(
            "there are no checkpoints that you may see",
            detail=f"thread_id: {thread!r}, checkpoint_ns: {namespace!r}",
        )
    sizes = client.checkpoint_sizes(thread, namespace, [c.checkpoint_id for c in found])
    older = found[-1].seq if len(found) == limit else None
    others = _other_namespaces(client, thread, namespace, 1_000_000 if as_json else 21)
    if as_json:
        told = {
            "thread_id": thread,
            "checkpoint_ns": namespace,
            "checkpoints": [histories.as_json(c, sizes.get(c.checkpoint_id)) for c in found],
            "before": older,
            "other_namespaces": [n.checkpoint_ns for n in others],
        }
        typer.echo(json.dumps(told, indent=2))
        return
    for line in histories.lines(
        found,
        sizes,
        tree=histories.Tree(),
        now=datetime.now(UTC),
        stored=None if older else {c.checkpoint_id for c in found},
        latest=None if before else found[0].checkpoint_id,
    ):
        say(line)
    if older is not None:
        say([(f"... older ones: --before {older}", "dim")])
    for other in others[:20]:
        name = histories.printable(other.checkpoint_ns) or "(the graph itself)"
        say([("other namespace: ", "dim"), (name, ""), (f", latest #{other.seq}", "dim")])
    if len(others) > 20:
        say([("... and more: --json lists them", "dim")])


def _other_namespaces(client: Client, thread: str, namespace: str, most: int) -> list[Namespace]:
    """The namespaces of a thread but one."""
    found: list[Namespace] = []
    after: str | None = None
    while len(found) <= most:
        page = client.checkpoint_namespaces(thread, after_ns=after, max_rows=min(most + 1, 1000))
        found += page
        if not page or len(page) < min(most + 1, 1000):
            break
        after = page[-1].checkpoint_ns
    return [other for other in found if other.checkpoint_ns != namespace][:most]


def _show_diff(
    client: Client, thread: str, namespace: str, a: str, b: str, *, as_json: bool
) -> None:
    from pgagent.saver.serde import Coder, strict_serializer
    from pgagent.saver.shown import Shown, show_checkpoint

    coder = Coder(strict_serializer())

    def shown(named: str) -> Shown:
        found = client.run(
            show_checkpoint(coder, thread, namespace, _named(client, thread, namespace, named))
        )
        if found is None:
            raise NotFound(
                "no such checkpoint", detail=f"checkpoint: {named!r}, thread_id: {thread!r}"
            )
        return found

    changes = list(histories.changes(shown(a).values, shown(b).values))
    if as_json:
        typer.echo(json.dumps([change._asdict() for change in changes], indent=2))
        return
    for line in histories.told(changes):
        say(line)
    if not changes:
        say([("no channel has another value", "dim")])


def _named(client: Client, thread: str, namespace: str, named: str) -> str:
    """The id of a checkpoint that is named by its number or its id."""
    number = named.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) < 18):
        return named
    found: list[StoredCheckpoint] = client.checkpoints_between(
        thread, checkpoint_ns=namespace, after_seq=int(number) - 1, max_rows=1
    )
    return found[0].checkpoint_id if found and found[0].seq == int(number) else named
