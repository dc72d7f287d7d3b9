"""pgagentctl worker: what it runs, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from typer.testing import CliRunner

from pgagent.cli import app
from pgagent.testing import Databases
from support.processes import until
from support.stage import Stage

MODULE = """
import asyncio, logging, operator, pathlib, time
from typing import Annotated, TypedDict
from langgraph.graph import START, StateGraph
from pgagent import AsyncPgAgentSaver, PgAgentSaver

class State(TypedDict):
    log: Annotated[list[str], operator.add]

def a(state):
    logging.getLogger("agent").info("in a")
    return {"log": ["a"]}

async def later(state):
    await asyncio.sleep(0)
    return {"log": ["later"]}

def hang(state):
    pathlib.Path("hangs").touch()
    while not pathlib.Path("open").exists():
        time.sleep(0.01)
    return {"log": ["hang"]}

builder = StateGraph(State).add_node("a", a).add_edge(START, "a")
graph = builder.compile()
awaited = StateGraph(State).add_node("later", later).add_edge(START, "later").compile()
slow = StateGraph(State).add_node("a", a).add_node("hang", hang)
slow.add_edge(START, "hang").add_edge("hang", "a")

def make(saver):
    assert isinstance(saver, PgAgentSaver)
    return builder.compile(checkpointer=saver)

async def make_later(saver):
    assert isinstance(saver, AsyncPgAgentSaver)
    return builder.compile(checkpointer=saver)

class Box:
    inside = graph

def of_another_kind(saver):
    from langgraph.checkpoint.memory import InMemorySaver
    return builder.compile(checkpointer=InMemorySaver())

def nothing(saver):
    return None

number = 17
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_agent.py").write_text(MODULE)
    (tmp_path / "broken_agent.py").write_text("import not_there_at_all\n")
    return tmp_path


@contextmanager
def command(folder: Path, *arguments: str, dsn: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "pgagent.cli", "worker", *arguments],
        cwd=folder,
        env={**os.environ, "PGAGENT_DSN": dsn},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


def ended(folder: Path, *arguments: str, dsn: str) -> tuple[int, str]:
    with command(folder, *arguments, dsn=dsn) as process:
        _, said = process.communicate(timeout=60)
        return process.returncode, said


def result(stage: Stage, job: UUID) -> list[str]:
    assert stage.status(job) == "COMPLETED", stage.job(job).error
    return list(stage.job(job).result["log"])


@pytest.mark.parametrize(
    ("target", "more", "log"),
    [
        ("graph", [], ["in", "a"]),
        ("builder", [], ["in", "a"]),
        ("make", ["--concurrency", "3"], ["in", "a"]),
        ("Box.inside", [], ["in", "a"]),
        ("graph", ["--async"], ["in", "a"]),
        ("awaited", ["--async"], ["in", "later"]),
        ("make_later", ["--async", "--concurrency", "3"], ["in", "a"]),
    ],
)
def test_it_runs_the_graph_that_is_named(
    stage: Stage, folder: Path, target: str, more: list[str], log: list[str]
) -> None:
    jobs = [stage.enqueue(f"t{n}") for n in range(3)]
    code, said = ended(folder, f"my_agent:{target}", "--once", *more, dsn=stage.dsn)
    assert code == 0, said
    assert [result(stage, job) for job in jobs] == [log] * 3


def test_options_reach_the_worker(stage: Stage, folder: Path) -> None:
    job, other = stage.enqueue(queue="research"), stage.enqueue("other")
    (late,) = [stage.enqueue("late", queue="slow")]
    code, said = ended(
        folder, "my_agent:graph", "--queue", "research", "--queue", "slow", "--max-jobs", "2",
        "--name", "w7", "--lease", "30", dsn=stage.dsn,
    )  # fmt: skip
    assert code == 0, said
    assert [stage.status(id) for id in (job, late, other)] == ["COMPLETED", "COMPLETED", "PENDING"]
    assert "attempt 1" in said
    assert stage.conn.execute("select distinct worker from pgagent.job_attempts").fetchall() == [
        ("w7",)
    ]


@pytest.mark.parametrize("more", [[], ["--async"]])
def test_sigterm_drains_and_the_health_file_goes(
    stage: Stage, folder: Path, more: list[str]
) -> None:
    job = stage.enqueue()
    health = folder / "health"
    with command(
        folder, "my_agent:slow", "--health-file", str(health), *more, dsn=stage.dsn
    ) as process:
        until((folder / "hangs").exists)
        assert health.exists()
        process.send_signal(signal.SIGTERM)
        (folder / "open").touch()
        assert process.wait(30) == 0
    assert stage.status(job) == "PENDING"
    assert stage.deliveries(job) == [(1, "released")]
    assert not health.exists()


@pytest.mark.parametrize("more", [[], ["--async"], ["--on-hang", "replace"]])
def test_a_step_that_outlasts_the_drain_ends_with_the_process(
    stage: Stage, folder: Path, more: list[str]
) -> None:
    job = stage.enqueue()
    with command(
        folder, "my_agent:slow", "--drain-timeout", "0.2", *more, dsn=stage.dsn
    ) as process:
        until((folder / "hangs").exists)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 3
        assert process.stderr
        assert str(job) in process.stderr.read()
    assert stage.status(job) == "PENDING"


def test_lines_of_json_say_what_they_are_about(stage: Stage, folder: Path) -> None:
    job = stage.enqueue(trace_id="trace-1")
    _, said = ended(folder, "my_agent:graph", "--once", "--log-format", "json", dsn=stage.dsn)
    lines = [json.loads(line) for line in said.splitlines()]
    (line,) = [line for line in lines if line["message"] == "in a"]
    assert line["job_id"] == str(job)
    assert line["trace_id"] == "trace-1"
    assert any("complete" in line["message"] for line in lines)


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("my_agent", "is not MODULE:ATTRIBUTE, like agent:graph"),
        (":graph", "is not MODULE:ATTRIBUTE"),
        ("nobody:graph", "there is no module 'nobody', seen from"),
        ("my_agent:grahp", "my_agent has no 'grahp': it has graph"),
        ("my_agent:zzz", "it has awaited, builder, graph, slow"),
        ("my_agent:number", "no graph but of type int: name a StateGraph"),
        ("my_agent:nothing", "no graph but of type NoneType"),
        ("my_agent:of_another_kind", "of type InMemorySaver: compile it without one"),
        ("my_agent:awaited", "can only be run with await: later. Add --async"),
        ("broken_agent:graph", "No module named 'not_there_at_all'"),
    ],
)
def test_a_target_that_cannot_be_run_is_refused_with_what_to_do(
    stage: Stage, folder: Path, target: str, says: str
) -> None:
    job = stage.enqueue()
    code, said = ended(folder, target, "--once", dsn=stage.dsn)
    assert code == 1
    assert says in said
    assert stage.status(job) == "PENDING"
    assert "Traceback" not in said or target.startswith("broken")


def test_a_saver_of_the_other_kind_is_named(stage: Stage, folder: Path) -> None:
    (folder / "other.py").write_text(
        "from my_agent import builder\nfrom pgagent import PgAgentSaver\n"
        f"graph = builder.compile(checkpointer=PgAgentSaver({stage.dsn!r}))\n"
    )
    code, said = ended(folder, "other:graph", "--async", "--once", dsn=stage.dsn)
    assert code == 1
    assert "of type PgAgentSaver: run it without --async" in said
    assert ended(folder, "other:graph", "--once", dsn=stage.dsn)[0] == 0


@pytest.mark.parametrize("more", [[], ["--async"]])
def test_where_it_cannot_work_it_ends_at_once_and_says_why(
    stage: Stage, folder: Path, pgagent_databases: Databases, more: list[str]
) -> None:
    def refused(dsn: str) -> str:
        code, said = ended(folder, "my_agent:graph", *more, dsn=dsn)
        assert code == 1
        return said

    assert "Is the server up" in refused("postgresql://127.0.0.1:1/nowhere")
    empty = pgagent_databases.server.dsn(pgagent_databases.empty())
    assert "pgagentctl install" in refused(empty)
    with psycopg.connect(stage.conn.info.dsn, autocommit=True) as connection:
        connection.execute("create role nobody_yet login")
    try:
        name = pgagent_databases.server.dsn(stage.conn.info.dbname, "nobody_yet")
        assert "grant_access" in refused(name)
    finally:
        stage.conn.execute("drop role nobody_yet")


def test_help_has_an_example_and_the_exit_codes() -> None:
    said = CliRunner().invoke(app, ["worker", "--help"], env={"COLUMNS": "100"}).output
    assert "pgagentctl worker agent:make --queue research" in said
    assert "3 a step outlasted its deadline" in said
