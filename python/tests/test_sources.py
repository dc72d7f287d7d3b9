"""The files under sql/: a reader finds a function by its name."""

import re
from pathlib import Path

import psycopg

SQL = Path(__file__).parents[2] / "sql"
FUNCTION = re.compile(r"^create function pgagent\.(\w+)", re.MULTILINE)


def test_each_public_function_has_a_file_of_its_name(pgagent_dsn: str) -> None:
    with psycopg.connect(pgagent_dsn) as connection:
        rows = connection.execute("""
            select proname from pg_proc
            where pronamespace = 'pgagent'::regnamespace and proname not like '\\_%'
        """).fetchall()
    public = {name for (name,) in rows}
    made_in = {
        name: file.stem
        for file in SQL.glob("*/*.sql")
        for name in FUNCTION.findall(file.read_text())
    }
    assert {name: made_in.get(name) for name in public if made_in.get(name) != name} == {}


def test_no_file_is_longer_than_250_lines() -> None:
    too_long = {
        str(file.relative_to(SQL)): lines
        for file in SQL.glob("*/*.sql")
        if (lines := len(file.read_text().splitlines())) > 250
    }
    assert too_long == {}
