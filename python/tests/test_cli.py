"""pgagentctl: what it prints and how it exits."""

import json
import os
import signal
import subprocess
import sys

import psycopg
import pytest
from typer.testing import CliRunner

from pgagent import Client
from pgagent.cli import app
from pgagent.install import packaged_version
from pgagent.testing import Databases

VERSION = packaged_version()


@pytest.fixture
def empty_dsn(pgagent_databases: Databases) -> str:
    return pgagent_databases.server.dsn(pgagent_databases.empty())


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def test_install_says_what_it_did(empty_dsn: str) -> None:
    assert run("install", "--dsn", empty_dsn) == (0, f"created the extension pgagent {VERSION}\n")
    assert run("install", "--dsn", empty_dsn) == (0, f"pgagent {VERSION} is installed already\n")


def test_install_says_why_it_did_not(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create schema pgagent")
    code, said = run("install", "--dsn", empty_dsn)
    assert code == 1
    assert "exists already and is not one of ours" in said


@pytest.mark.parametrize("command", ["install", "version"])
@pytest.mark.parametrize("dsn", ["nonsense", "postgresql://127.0.0.1:1/nowhere"])
def test_without_a_connection_it_says_why(command: str, dsn: str) -> None:
    code, said = run(command, "--dsn", dsn)
    assert code == 1
    assert "nonsense" in said or "Connection refused" in said


def test_install_says_how_to_name_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "/nowhere")
    code, said = run("install")
    assert code == 1
    assert "Another: --dsn postgresql://" in said


def test_version_shows_package_and_database(pgagent_dsn: str, empty_dsn: str) -> None:
    assert run("version") == (0, f"package {VERSION}\n")
    assert run("version", "--dsn", pgagent_dsn) == (0, f"package {VERSION}\ndatabase {VERSION}\n")
    assert run("version", "--dsn", empty_dsn) == (
        1,
        f"package {VERSION}\ndatabase: not installed\n",
    )


@pytest.mark.parametrize("command", [("jobs", "list"), ("approvals", "list"), ("history", "t")])
def test_where_pgagent_is_missing_it_says_how_to_install_it(
    empty_dsn: str, command: tuple[str, ...]
) -> None:
    code, said = run(*command, "--dsn", empty_dsn)
    assert code == 1
    assert "pgagentctl install" in said


@pytest.mark.parametrize("command", [("jobs", "list"), ("approvals", "list"), ("history", "t")])
def test_a_role_without_access_is_told_who_gives_it(
    pgagent_dsn: str, command: tuple[str, ...]
) -> None:
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        connection.execute("create role cli_stranger login")
        try:
            dsn = psycopg.conninfo.make_conninfo(pgagent_dsn, user="cli_stranger")
            code, said = run(*command, "--dsn", dsn)
        finally:
            connection.execute("drop role cli_stranger")
    assert code == 1
    assert "select pgagent.grant_access(" in said


@pytest.mark.parametrize(("status", "code"), [("failed", 0), ("FALED", 2)])
def test_a_status_is_one_that_there_is(pgagent_dsn: str, status: str, code: int) -> None:
    assert run("jobs", "list", "--status", status, "--dsn", pgagent_dsn)[0] == code


def test_up_runs_a_server_with_pgagent_until_it_is_interrupted() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "pgagent.cli", "up"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        dsn = process.stdout.readline().strip()
        with psycopg.connect(dsn) as connection:
            assert connection.execute("select pgagent.version()").fetchone() == (VERSION,)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)


def test_metadata_index_is_made_once_and_again_when_it_was_left_half_made(pgagent_dsn: str) -> None:
    def state() -> list[tuple[bool, str]]:
        return connection.execute(
            "select i.indisvalid, pg_get_indexdef(i.indexrelid) from pg_index as i "
            "where i.indexrelid = to_regclass('pgagent.checkpoints_metadata_idx')"
        ).fetchall()

    with psycopg.connect(pgagent_dsn, autocommit=True) as connection:
        assert state() == []
        code, said = run("metadata-index", "--dsn", pgagent_dsn)
        assert (code, said.split()[:3]) == (0, ["create", "index", "concurrently"])
        assert [valid for valid, _ in state()] == [True]
        assert "USING gin (metadata jsonb_path_ops)" in state()[0][1]
        again = run("metadata-index", "--dsn", pgagent_dsn)
        assert again == (0, "the index is there already\n")
        connection.execute(
            "update pg_index set indisvalid = false "
            "where indexrelid = 'pgagent.checkpoints_metadata_idx'::regclass"
        )
        code, said = run("metadata-index", "--dsn", pgagent_dsn)
        assert [line.split()[0] for line in said.splitlines()] == ["drop", "create"]
        assert [valid for valid, _ in state()] == [True]


def test_metadata_index_says_why_it_was_not_made(empty_dsn: str) -> None:
    code, said = run("metadata-index", "--dsn", empty_dsn)
    assert code == 1
    assert "pgagent" in said


def test_jobs_are_listed_shown_cancelled_and_requeued(pgagent_dsn: str) -> None:
    with psycopg.connect(pgagent_dsn, autocommit=True) as connection, Client(pgagent_dsn) as client:
        job = client.enqueue_job("t", {"x": 1}, queue="q").job_id
        other = client.enqueue_job("u", {}).job_id
        dsn = ("--dsn", pgagent_dsn)

        code, said = run("jobs", "list", "--queue", "q", *dsn)
        assert code == 0
        assert str(job) in said
        assert str(other) not in said
        code, said = run("jobs", "cancel", str(job), "--reason", "no", "--by", "me", *dsn)
        assert (code, said) == (0, f"{job} cancelled\n")
        assert run("jobs", "cancel", str(job), *dsn) == (0, f"{job} had ended: CANCELLED\n")
        code, said = run("jobs", "requeue", str(job), "--reason", "yes", *dsn)
        assert (code, said) == (0, f"{job} requeued: PENDING\n")

        code, said = run("jobs", "show", str(job), "--json", *dsn)
        shown = json.loads(said)
        assert (code, shown["status"], shown["payload"]) == (0, "PENDING", {"x": 1})
        assert [(e["kind"], (e["data"] or {}).get("reason")) for e in shown["history"]] == [
            ("job_enqueued", None), ("job_cancelled", "no"), ("job_requeued", "yes"),
        ]  # fmt: skip
        code, said = run("jobs", "show", str(job), *dsn)
        assert code == 0
        assert "job_requeued" in said
        queues = json.loads(run("jobs", "queues", "--json", *dsn)[1].splitlines()[1])
        assert (queues["queue"], queues["ready"]) == ("q", 1)

        claimed = client.claim_job("w1", queue="q")
        assert claimed is not None
        client.fail_job(job, claimed.fencing_token, {"type": "Bug"}, fatal=True)
        assert "failed" in run("jobs", "dead", *dsn)[1]
        letter = json.loads(run("jobs", "dead", "--json", *dsn)[1])
        assert [d["error"] for d in letter["deliveries"]] == [{"type": "Bug"}]

        client.schedule_job("s", "@daily", "t", {}, scheduler="external")
        assert json.loads(run("jobs", "schedules", "--json", *dsn)[1])["schedule"] == "@daily"
        connection.execute("select pgagent_test.advance_for_all('2 days')")
        assert json.loads(run("jobs", "tick", "--json", *dsn)[1])["outcome"] == "enqueued"
        assert run("jobs", "tick", *dsn) == (0, "nothing is due\n")


def test_jobs_says_why_not_and_does_the_rest(pgagent_dsn: str, empty_dsn: str) -> None:
    nobody = "00000000-0000-7000-8000-000000000000"
    with Client(pgagent_dsn) as client:
        job = client.enqueue_job("t", {}).job_id
        code, said = run("jobs", "cancel", nobody, str(job), "--dsn", pgagent_dsn)
        assert code == 1
        assert "PA003" in said
        assert f"{job} cancelled" in said
    code, said = run("jobs", "show", nobody, "--dsn", pgagent_dsn)
    assert (code, "no such job" in said) == (1, True)
    code, said = run("jobs", "list", "--dsn", empty_dsn)
    assert code == 1
    assert "pgagent" in said
    assert run("jobs", "list", "--dsn", pgagent_dsn, "--queue", "none") == (0, "no such jobs\n")
    assert run("jobs", "cancel", "no-id", "--dsn", pgagent_dsn)[0] == 2


def test_every_command_has_help() -> None:
    for command in (
        "list", "show", "cancel", "requeue", "dead", "queues", "schedules", "tick",
    ):  # fmt: skip
        code, said = run("jobs", command, "--help")
        assert code == 0
        assert len(said.split()) > 20
