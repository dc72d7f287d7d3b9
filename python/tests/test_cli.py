"""pgagentctl: what it prints and how it exits."""

import os
import signal
import subprocess
import sys

import psycopg
import pytest
from typer.testing import CliRunner

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
