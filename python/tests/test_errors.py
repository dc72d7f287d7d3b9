"""One exception for each error of the engine."""

from __future__ import annotations

import re

import psycopg
import pytest
from langgraph.errors import GraphBubbleUp

from pgagent import LeaseLost, PgAgentError, errors
from support.stage import Stage


def test_there_is_one_exception_a_row_of_the_errors_view(stage: Stage) -> None:
    rows = stage.conn.execute("select code, name from pgagent.errors order by code").fetchall()
    classes = {cls.sqlstate: cls.__name__ for cls in errors.BY_SQLSTATE.values()}
    assert rows
    assert {code: snake_case(name) for code, name in classes.items()} == dict(rows)


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def test_what_the_server_says_is_kept(stage: Stage) -> None:
    with pytest.raises(errors.NotFound) as raised:
        stage.client.append_event("missing", "step")
    assert "missing" in raised.value.detail
    assert "create_session" in raised.value.hint
    shown = str(raised.value).splitlines()
    assert [line.split(":")[0] for line in shown] == ["PA003", "DETAIL", "HINT"]


def test_every_code_is_raised_as_its_class(stage: Stage) -> None:
    for code, cls in errors.BY_SQLSTATE.items():
        with pytest.raises(psycopg.Error) as raised:
            stage.conn.execute("select pgagent._raise(%s, 'what', 'where', 'how')", (code,))
        error = errors.translate(raised.value)
        assert type(error) is cls
        assert isinstance(error, PgAgentError)
        assert (error.args[0], error.detail, error.hint) == ("what", "where", "how")


def test_what_an_error_does_not_say_takes_no_line(stage: Stage) -> None:
    said = []
    for arguments in ("'what'", "'what', 'where'", "'what', '', 'how'"):
        with pytest.raises(psycopg.Error) as raised:
            stage.conn.execute(f"select pgagent._raise('PA008', {arguments})")
        shown = str(raised.value).splitlines()
        said.append([line for line in shown if not line.startswith("CONTEXT")])
    assert said[0] == ["what"]
    assert said[1] == ["what", "DETAIL:  where"]
    assert said[2][-1] == "HINT:  how"


def test_errors_of_others_are_left_as_they_are(stage: Stage) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero) as raised:
        stage.conn.execute("select 1 / 0")
    assert errors.translate(raised.value) is raised.value


def test_no_error_of_the_engine_is_one_that_langgraph_drops_in_savers() -> None:
    for cls in errors.BY_SQLSTATE.values():
        assert not issubclass(cls, GraphBubbleUp)
    assert issubclass(LeaseLost, GraphBubbleUp)  # raised in nodes, where others would be handled
