"""What README and docs show works as it is printed."""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from pgagent import PgAgentSaver
from pgagent.testing import Databases

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@pytest.fixture
def dsn(pgagent_databases: Databases) -> str:
    return pgagent_databases.server.dsn(pgagent_databases.empty())


def test_the_ten_lines_of_langgraph(dsn: str) -> None:
    (code,) = blocks("README.md", "python")
    assert len(list(filter(None, code.splitlines()))) == 10
    exec(code.replace("postgresql://localhost/app", dsn), {})

    with psycopg.connect(dsn) as connection:
        jobs = connection.execute("select status, result from pgagent.agent_jobs").fetchall()
    assert jobs == [("COMPLETED", {"role": "ai", "content": "I am still here."})]


def test_the_ten_lines_of_sql(pgagent_databases: Databases) -> None:
    (code,) = blocks("README.md", "sql")
    assert len(code.splitlines()) == 10
    said = pgagent_databases.server.psql(text=code, dbname=pgagent_databases.empty())

    assert '1|assistant|"Forty chairs."\n' in said
    kinds = re.findall(r"^\d+\|(job_\w+)\|", said, re.MULTILINE)
    assert kinds == ["job_enqueued", "job_claimed", "job_completed"]


def test_the_comparison_of_trajectories(
    pgagent_databases: Databases, capsys: pytest.CaptureFixture[str]
) -> None:
    database, server = pgagent_databases.empty(), pgagent_databases.server
    server.psql("-c", "create extension pgagent", dbname=database)
    said = server.psql(text="".join(blocks("docs/evaluation.md", "sql")), dbname=database)
    assert said.splitlines()[-1] == "t|[]|[]"
    (code,) = blocks("docs/evaluation.md", "python")
    exec(code.replace("postgresql://localhost/app", server.dsn(database)), {})
    assert capsys.readouterr().out == "True []\n"


def test_the_context_that_fits(
    pgagent_databases: Databases, capsys: pytest.CaptureFixture[str]
) -> None:
    database, server = pgagent_databases.empty(), pgagent_databases.server
    server.psql("-c", "create extension pgagent", dbname=database)
    said = server.psql(text="".join(blocks("docs/context.md", "sql")), dbname=database)
    assert said.splitlines()[-3:] == ["t", "t", "21"]
    for code in blocks("docs/context.md", "python"):
        exec(code.replace("postgresql://localhost/app", server.dsn(database)), {})
    assert capsys.readouterr().out.splitlines() == [
        "{'role': 'system', 'content': '31 messages'}",
        "I was sent 5 messages.",
    ]


def test_the_loop_of_a_worker_in_any_language(pgagent_databases: Databases) -> None:
    database = pgagent_databases.empty()
    pgagent_databases.server.psql("-c", "create extension pgagent", dbname=database)
    said = pgagent_databases.server.psql(
        text="".join(blocks("docs/other-languages.md", "sql")), dbname=database
    )

    assert said.splitlines()[-1] == "COMPLETED"


def test_a_thread_of_another_saver_is_moved(dsn: str) -> None:
    defined: dict[str, Any] = {}
    (code,) = [code for code in blocks("docs/checkpoints.md", "python") if "def move" in code]
    exec(code, defined)

    builder = StateGraph(MessagesState)
    builder.add_node("first", lambda state: {"messages": [("ai", "one")]})
    builder.add_node("ask", lambda state: {"messages": [("ai", interrupt("sure?"))]})
    builder.add_edge(START, "first").add_edge("first", "ask")
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    before = builder.compile(checkpointer=InMemorySaver())
    before.invoke({"messages": [("user", "hi")]}, config)

    with PgAgentSaver.from_conn_string(dsn) as saver:
        saver.setup()
        defined["move"](before.checkpointer, saver, "t")
        after = builder.compile(checkpointer=saver)
        told = [
            [(s.values, s.next, s.interrupts, s.metadata) for s in graph.get_state_history(config)]
            for graph in (before, after)
        ]
        assert told[0] == told[1]
        said = after.invoke(Command(resume="yes"), config)["messages"]
    assert [message.content for message in said] == ["hi", "one", "yes"]


def test_every_page_is_linked_from_the_readme() -> None:
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages <= set(re.findall(r"\]\((docs/[a-z-]+\.md)\)", (ROOT / "README.md").read_text()))
