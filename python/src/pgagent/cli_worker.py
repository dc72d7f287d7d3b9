"""``pgagentctl worker``: runs the jobs of a graph that a module has."""

from __future__ import annotations

import asyncio
import difflib
import importlib
import inspect
import logging
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import psycopg
import typer
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from pgagent import calls
from pgagent.client import Client
from pgagent.errors import PgAgentError
from pgagent.logs import AboutFilter, JsonFormatter
from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.saver.sync import PgAgentSaver
from pgagent.terminal import Dsn, refusing
from pgagent.worker import AsyncWorker, StepHung, Worker
from pgagent.worker.base import GRACE, OnHang

log = logging.getLogger("pgagent.worker")

NODES = "pgagent-node"
"""What the threads are called that an async worker runs functions on."""

HUNG = 3
"""The exit code when a step did not end and its thread is left behind."""

HELP = """
Run the jobs of a graph, until SIGTERM or Ctrl-C.

TARGET is MODULE:ATTRIBUTE, looked up from the current directory. The attribute is a StateGraph or
a compiled graph, which is given a saver for --dsn unless it has one; or a function that takes the
saver and returns either.

    # agent.py
    def make(saver):
        return builder.compile(checkpointer=saver)

    $ export PGAGENT_DSN=postgresql://worker@db/app
    $ pgagentctl worker agent:make --queue research --queue default --concurrency 8

SIGTERM drains: the steps under way end, their jobs go back with no attempt counted, and the next
worker goes on at once. A second SIGTERM, or the end of --drain-timeout, does not wait for them.

Exit codes: 0 it was told to stop, or is done (--once, --max-jobs); 1 it could not begin, or the
server refuses it; 2 an option is wrong; 3 a step outlasted its deadline or the time to drain, and
the process was ended with it: start another. Jobs are lost by none of them.
"""


class LogFormat(StrEnum):
    """How log lines are written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """From which level on."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Hang(StrEnum):
    """What follows when a step cannot be ended."""

    EXIT = "exit"
    REPLACE = "replace"


class TargetError(Exception):
    """What was named is no graph that this worker can run."""


Saver = PgAgentSaver | AsyncPgAgentSaver
Graph = Pregel[Any, Any, Any, Any]


def found(target: str) -> Any:
    """The object that ``module:attribute`` names.

    Raises:
        TargetError: there is no such module or attribute.
    """
    module_name, colon, path = target.partition(":")
    if not (module_name and colon and path):
        raise TargetError(f"{target!r} is not MODULE:ATTRIBUTE, like agent:graph")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name + ".").startswith(error.name + "."):
            raise
        raise TargetError(
            f"there is no module {error.name!r}, seen from {Path.cwd()}: run this in the directory "
            "that has it, or install its package"
        ) from None
    value = module
    for name in path.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            public = [known for known in dir(value) if not known.startswith("_")]
            near = difflib.get_close_matches(name, public, 3) or [
                known for known in public if isinstance(getattr(value, known), (Pregel, StateGraph))
            ]
            raise TargetError(
                f"{module_name} has no {path!r}" + (f": it has {', '.join(near)}" if near else "")
            ) from None
    return value


def as_graph(value: Any, saver: Saver) -> Graph:
    """The graph to run: compiled, with the saver, unless it has one of ours.

    Raises:
        TargetError: the value is no graph, or another saver's.
    """
    if isinstance(value, StateGraph):
        return value.compile(checkpointer=saver)
    if not isinstance(value, Pregel):
        raise TargetError(
            f"this is no graph but of type {type(value).__name__}: name a StateGraph, a compiled "
            "graph, or a function that takes the saver and returns one"
        )
    if value.checkpointer is None:
        return value.copy(update={"checkpointer": saver})
    if not isinstance(value.checkpointer, type(saver)):
        other = {PgAgentSaver: "without --async", AsyncPgAgentSaver: "with --async"}
        kind = type(value.checkpointer)
        advice = f"run it {other[kind]}" if kind in other else "compile it without one"
        raise TargetError(
            f"the graph has a checkpointer of its own, of type {kind.__name__}: {advice}, or name "
            "a function that takes the saver"
        )
    return value


def async_alone(graph: Graph) -> list[str]:
    """The nodes of a graph that can only be run with await."""
    names = []
    for name, node in graph.nodes.items():
        bound = node.bound
        if getattr(bound, "func", 0) is None and getattr(bound, "afunc", None) is not None:
            names.append(name)
    return names


def write_logs(how: LogFormat, level: LogLevel) -> None:
    """Sends log lines to standard error, each with what it is about."""
    handler = logging.StreamHandler()
    handler.addFilter(AboutFilter())
    handler.setFormatter(
        JsonFormatter()
        if how is LogFormat.JSON
        else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    if level is not LogLevel.DEBUG:
        for library in ("psycopg", "httpx"):  # they say what they do at each step
            logging.getLogger(library).setLevel(logging.WARNING)


def leave(code: int) -> NoReturn:
    """Ends the process at once, whatever its threads do."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def worker(
    target: Annotated[str, typer.Argument(metavar="MODULE:ATTRIBUTE", help="The graph.")],
    dsn: Dsn = "",
    queue: Annotated[
        list[str] | None,
        typer.Option(help="Claim from this queue; again for more, the first comes first."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Jobs at once.")] = 1,
    is_async: Annotated[
        bool, typer.Option("--async", help="Run the graph with await, a task a job.")
    ] = False,
    lease: Annotated[
        float, typer.Option(min=1, help="Seconds a dead worker's jobs wait for another.")
    ] = 60.0,
    poll: Annotated[
        float, typer.Option(min=0.01, help="Seconds between two looks for work, at most.")
    ] = 1.0,
    listen: Annotated[
        str | None,
        typer.Option(help="Where to listen for NOTIFY, if --dsn leads through a pooler."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Kept on jobs; host and process id by default.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is due.")] = False,
    max_jobs: Annotated[int | None, typer.Option(min=1, help="End after so many jobs.")] = None,
    drain_timeout: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds that steps have after SIGTERM; as they need by default."),
    ] = None,
    on_hang: Annotated[
        Hang, typer.Option(help="When a step outlasts its deadline: drain and exit, or go on.")
    ] = Hang.EXIT,
    health_file: Annotated[
        Path | None,
        typer.Option(help="Touched while the worker is alive.", dir_okay=False),
    ] = None,
    record_text: Annotated[
        bool,
        typer.Option(
            "--record-text", help="Keep what models say as events, for readers that come late."
        ),
    ] = False,
    log_format: Annotated[LogFormat, typer.Option(help="How log lines are written.")] = (
        LogFormat.TEXT
    ),
    log_level: Annotated[LogLevel, typer.Option(help="From which level on.")] = LogLevel.INFO,
) -> None:
    """Described by HELP."""
    write_logs(log_format, log_level)
    hang: OnHang = "exit" if on_hang is Hang.EXIT else "replace"
    options: dict[str, Any] = {
        "queues": queue or ["default"], "concurrency": concurrency, "name": name, "lease": lease,
        "poll": poll, "listen": listen, "drain_timeout": drain_timeout, "on_hang": hang,
        "health_file": health_file, "record_text": record_text,
    }  # fmt: skip
    # A run and its heartbeat, and the claims.
    pool: dict[str, Any] = {"min_size": 1, "max_size": min(2 * concurrency + 1, 20)}
    bounds: dict[str, Any] = {"once": once, "max_jobs": max_jobs}
    with refusing(TargetError, psycopg.Error, PgAgentError, OSError, hint=_hint(dsn)):
        value = found(target)
        if is_async:
            asyncio.run(_run_async(value, dsn, pool, options, bounds))
        else:
            _run(value, dsn, pool, options, bounds)


def _hint(dsn: str) -> str:
    if dsn:
        return "Is the server up, and does --dsn lead there?"
    return "This was libpq's default. Another: --dsn postgresql://user@host/database"


def _run(
    value: Any, dsn: str, pool: dict[str, Any], options: dict[str, Any], bounds: dict[str, Any]
) -> None:
    _must_answer(dsn)
    with PgAgentSaver(dsn, **pool) as saver:
        graph = as_graph(value(saver) if _makes_graphs(value) else value, saver)
        if alone := async_alone(graph):
            raise TargetError(
                f"these nodes can only be run with await: {', '.join(alone)}. Add --async"
            )
        worker = Worker(graph, **options)
        try:
            worker.run(**bounds)
        except StepHung as hung:
            log.error("%s", hung)
        if worker.hung:
            leave(HUNG)


async def _run_async(
    value: Any, dsn: str, pool: dict[str, Any], options: dict[str, Any], bounds: dict[str, Any]
) -> None:
    executor = ThreadPoolExecutor(options["concurrency"] + 4, NODES)
    asyncio.get_running_loop().set_default_executor(executor)
    await asyncio.to_thread(_must_answer, dsn)
    async with AsyncPgAgentSaver(dsn, **pool) as saver:
        made = value(saver) if _makes_graphs(value) else value
        graph = as_graph(await made if inspect.isawaitable(made) else made, saver)
        worker = AsyncWorker(graph, **options)
        try:
            await worker.run(**bounds)
        except StepHung as hung:
            log.error("%s", hung)
        # asyncio would wait for tasks that will not be cancelled, and for functions among the nodes
        # that are still on their threads.
        if worker.hung or await _are_left(executor):
            leave(HUNG)


def _makes_graphs(value: Any) -> bool:
    return callable(value) and not isinstance(value, (Pregel, StateGraph))


async def _are_left(executor: ThreadPoolExecutor) -> bool:
    """Whether threads of nodes do not end."""
    executor.shutdown(wait=False)
    ends = time.monotonic() + GRACE
    while left := [t.name for t in threading.enumerate() if t.name.startswith(NODES)]:
        if time.monotonic() > ends:
            log.error("nodes are left on threads that cannot be ended: %s", ", ".join(left))
            return True
        await asyncio.sleep(0.05)
    return False


def _must_answer(dsn: str) -> None:
    """Fails at once where a worker would try again and again: a wrong address, no pgagent there, no
    access. A server that goes away later is waited for."""
    with psycopg.connect(dsn, connect_timeout=10, autocommit=True) as connection:
        Client(connection).run(calls.version())
