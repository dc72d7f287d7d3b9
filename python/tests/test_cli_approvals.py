"""pgagentctl approvals: what it prints and how it exits."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb
from typer.testing import CliRunner

from pgagent import Client
from pgagent.cli import app

QUESTION = {
    "action_requests": [{"name": "pay", "args": {"amount": 10}}],
    "review_configs": [
        {
            "action_name": "pay",
            "allowed_decisions": ["approve", "edit", "reject", "respond"],
            "args_schema": {"properties": {"amount": {"type": "integer"}}},
        }
    ],
}


@pytest.fixture
def asked(pgagent_dsn: str) -> UUID:
    """A paused run that asks one question."""
    return ask(pgagent_dsn, "t", QUESTION)


def ask(dsn: str, thread: str, question: Any, timeout: str | None = None) -> UUID:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select pgagent.create_session(%s, 'alice')", (thread,))
        connection.execute(
            "select pgagent.pause_job(job_id, fencing_token, %s, %s)"
            " from pgagent.start_run(%s, 'w1')",
            (Jsonb({"q": question}), timeout, thread),
        )
        (approval,) = Client(connection).pending_approvals(thread)
        return approval.approval_id


def run(dsn: str, *arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["approvals", *map(str, arguments), "--dsn", dsn])
    return done.exit_code, done.output


def test_list_shows_what_waits(pgagent_dsn: str, asked: UUID) -> None:
    ask(pgagent_dsn, "u", "sure?", "1 hour")
    code, said = run(pgagent_dsn, "list")
    assert code == 0
    first, second = said.splitlines()
    assert first.startswith(f"{asked}  t  ")
    assert first.endswith('pay({"amount": 10})')
    assert "  until " in second
    assert second.endswith('"sure?"')
    code, said = run(pgagent_dsn, "list", "--thread", "u", "--json")
    (only,) = json.loads(said)
    assert (code, only["thread_id"], only["question"], only["action"]) == (0, "u", "sure?", None)
    assert only["allowed"] == ["approve", "reject", "respond"]


def test_list_says_so_when_nothing_waits(pgagent_dsn: str) -> None:
    assert run(pgagent_dsn, "list") == (0, "nothing waits for a decision\n")
    assert run(pgagent_dsn, "list", "--json") == (0, "[]\n")


def test_show_tells_all_of_one(pgagent_dsn: str, asked: UUID) -> None:
    code, said = run(pgagent_dsn, "show", asked)
    assert code == 0
    assert "status          PENDING" in said
    assert "allowed         approve, edit, reject, respond" in said
    run(pgagent_dsn, "decide", asked, "reject", "--reason", "too much", "--by", "ann")
    shown = json.loads(run(pgagent_dsn, "show", asked, "--json")[1])
    assert (shown["status"], shown["reason"], shown["decided_by"]) == (
        "REJECTED",
        "too much",
        "ann",
    )


def test_decide_says_what_became_of_the_run(pgagent_dsn: str, asked: UUID) -> None:
    code, said = run(pgagent_dsn, "decide", asked, "approve", "--by", "ann")
    assert code == 0
    assert said.startswith("APPROVED by ann at ")
    assert said.endswith("; the run is PENDING\n")
    code, said = run(pgagent_dsn, "decide", asked, "approve", "--by", "bob", "--json")
    assert code == 0
    assert json.loads(said)["decided_by"] == "ann", "the recorded one"


def test_decide_takes_edits_and_responses(pgagent_dsn: str, asked: UUID) -> None:
    code, said = run(pgagent_dsn, "decide", asked, "edit", "--args", '{"amount": "x"}')
    assert code == 1
    assert "args.amount must be integer" in said
    assert run(pgagent_dsn, "decide", asked, "edit", "--args", "{")[0] == 2
    assert run(pgagent_dsn, "decide", asked, "edit", "--args", '{"amount": 5}')[0] == 0
    other = ask(pgagent_dsn, "u", "how many?")
    assert (
        run(pgagent_dsn, "decide", other, "respond", "--response", "3", "--json-response")[0] == 0
    )
    with psycopg.connect(pgagent_dsn) as connection:
        answers = connection.execute("select resume from pgagent.agent_jobs order by thread_id")
        edited = {"name": "pay", "args": {"amount": 5}}
        assert answers.fetchall() == [
            ({"q": {"decisions": [{"type": "edit", "edited_action": edited}]}},),
            ({"q": 3},),
        ]


@pytest.mark.parametrize(
    "decision",
    [("respond",), ("edit",), ("approve", "--response", "yes"), ("reject", "--args", "{}")],
)
def test_a_decision_without_what_belongs_to_it_decides_nothing(
    pgagent_dsn: str, decision: tuple[str, ...]
) -> None:
    plain = ask(pgagent_dsn, "u", "how many?")
    code, said = run(pgagent_dsn, "decide", plain, *decision)
    assert code == 2
    assert "needs it" in said
    assert "status          PENDING" in run(pgagent_dsn, "show", plain)[1]


def test_exit_codes_tell_what_went_wrong(pgagent_dsn: str, asked: UUID) -> None:
    assert run(pgagent_dsn, "show", uuid4())[0] == 3
    assert run(pgagent_dsn, "decide", uuid4(), "approve")[0] == 3
    assert run(pgagent_dsn, "decide", asked, "accept")[0] == 2
    assert run(pgagent_dsn, "decide", asked, "approve", "--checkpoint", "other")[0] == 4
    run(pgagent_dsn, "decide", asked, "approve", "--by", "ann")
    code, said = run(pgagent_dsn, "decide", asked, "reject")
    assert code == 4
    assert "status: APPROVED, by: ann" in said
    assert run("postgresql://127.0.0.1:1/nowhere", "list")[0] == 1


def test_a_tenant_sees_and_decides_its_own(pgagent_dsn: str, asked: UUID) -> None:
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        connection.execute("create role cli_tenant login")
        connection.execute("select pgagent.grant_access('cli_tenant', 'tenant')")
    dsn = psycopg.conninfo.make_conninfo(pgagent_dsn, user="cli_tenant")
    try:
        assert run(dsn, "list", "--tenant", "bob") == (0, "nothing waits for a decision\n")
        assert run(dsn, "show", asked, "--tenant", "bob")[0] == 3
        assert run(dsn, "decide", asked, "approve", "--tenant", "bob")[0] == 1
        assert str(asked) in run(dsn, "list", "--tenant", "alice")[1]
        code, said = run(dsn, "decide", asked, "approve", "--tenant", "alice")
        assert code == 0
        assert said.startswith("APPROVED by alice")
    finally:
        with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
            connection.execute("drop owned by cli_tenant")
            connection.execute("drop role cli_tenant")


def test_help_says_what_each_decision_means_and_the_exit_codes() -> None:
    said = CliRunner().invoke(app, ["approvals", "--help"], env={"COLUMNS": "200"}).output
    assert "4 decided otherwise before" in said
    said = CliRunner().invoke(app, ["approvals", "decide", "--help"], env={"COLUMNS": "200"}).output
    assert "the model is told --reason" in said
