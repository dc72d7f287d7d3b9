"""What the README shows works as it is printed."""

import re
from pathlib import Path

import psycopg
import pytest

from pgagent.testing import Databases

README = (Path(__file__).parents[2] / "README.md").read_text()


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found


@pytest.fixture
def dsn(pgagent_databases: Databases) -> str:
    return pgagent_databases.server.dsn(pgagent_databases.empty())


def test_the_ten_lines_of_langgraph(dsn: str) -> None:
    code = block("python")
    assert len(list(filter(None, code.splitlines()))) == 10
    exec(code.replace("postgresql://localhost/app", dsn), {})

    with psycopg.connect(dsn) as connection:
        jobs = connection.execute("select status, result from pgagent.agent_jobs").fetchall()
    assert jobs == [("COMPLETED", {"role": "ai", "content": "I am still here."})]


def test_the_ten_lines_of_sql(pgagent_databases: Databases) -> None:
    code = block("sql")
    assert len(code.splitlines()) == 10
    said = pgagent_databases.server.psql(text=code, dbname=pgagent_databases.empty())

    assert '1|assistant|"Forty chairs."\n' in said
    kinds = re.findall(r"^\d+\|(job_\w+)\|", said, re.MULTILINE)
    assert kinds == ["job_enqueued", "job_claimed", "job_completed"]
