"""Schedules with a real pg_cron: in the database of pgagent, and in another."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from pgagent import Client, Forbidden, NotFound, install
from pgagent.embedded import Server
from support.processes import until


def _pg_config(what: str) -> Path:
    program = shutil.which(os.environ.get("PG_CONFIG", "pg_config"))
    assert program, "these tests need an installed PostgreSQL 15 or later"
    done = subprocess.run([program, f"--{what}"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def cron_server() -> Iterator[Server]:
    """A server with pg_cron in the database app."""
    extension = _pg_config("sharedir") / "extension" / "pg_cron.control"
    assert extension.exists(), "Debian and Ubuntu: apt-get install postgresql-15-cron"
    settings = {
        "shared_preload_libraries": "pg_cron",
        "cron.database_name": "app",
        "cron.use_background_workers": "on",
    }
    with Server(_pg_config("bindir"), settings=settings, fsync=False, share=None) as server:
        for name in ("app", "other"):
            server.psql("-c", f"create database {name}")
        server.psql("-c", "create role scheduler login", "-c", "create role plain login")
        server.psql("-c", "create extension pg_cron", dbname="app")
        # Not a superuser's: what owns the schema is what pg_cron runs as.
        server.psql("-c", "grant create on database app to plain")
        install.install(server.dsn("app", user="plain"))
        install.install(server.dsn("other"))
        server.psql("-c", "select pgagent.grant_access('scheduler', 'admin')", dbname="app")
        server.psql("-c", "select pgagent.grant_access('scheduler', 'admin')", dbname="other")
        yield server


@pytest.fixture
def app(cron_server: Server) -> Iterator[Connection[Any]]:
    with psycopg.connect(cron_server.dsn("app"), autocommit=True) as conn:
        conn.execute("grant usage on schema cron to plain")
        yield conn
        conn.execute("delete from pgagent.job_schedules")
        conn.execute("delete from pgagent.agent_sessions")
        conn.execute("delete from cron.job")


@pytest.fixture
def client(cron_server: Server) -> Iterator[Client]:
    with Client(cron_server.dsn("app", user="scheduler")) as client:
        yield client


def cron_jobs(app: Connection[Any]) -> list[tuple[str, str, str, str, str]]:
    return app.execute(
        "select jobname, schedule, command, database, username from cron.job order by jobname"
    ).fetchall()


def test_a_schedule_is_one_job_of_pg_cron_however_often_it_is_made(
    app: Connection[Any], client: Client
) -> None:
    made = [
        client.schedule_job("it's nightly", schedule, "t", {})
        for schedule in ("0 4 * * *", "0 4 * * *", "0 5 * * *")
    ]
    assert made == ["created", "unchanged", "changed"]
    command = "select pgagent.run_schedules('it''s nightly')"
    assert cron_jobs(app) == [("pgagent it's nightly", "0 5 * * *", command, "app", "plain")]
    assert [(s.name, s.scheduler) for s in client.list_schedules()] == [("it's nightly", "pg_cron")]
    app.execute("delete from cron.job")  # as a restore may leave it
    assert client.schedule_job("it's nightly", "0 5 * * *", "t", {}) == "unchanged"
    assert len(cron_jobs(app)) == 1
    assert client.schedule_job("it's nightly", "0 5 * * *", "t", {}, scheduler="external")
    assert cron_jobs(app) == [], "somebody else calls from now on"


def test_a_schedule_that_ends_leaves_nothing_in_pg_cron(
    app: Connection[Any], client: Client
) -> None:
    client.schedule_job("a", "@daily", "t", {})
    client.schedule_job("b", "@daily", "t", {})
    assert client.unschedule_job("a")
    assert [name for name, *_ in cron_jobs(app)] == ["pgagent b"]
    assert not client.unschedule_job("a")


def test_an_owner_that_may_not_use_pg_cron_is_told_what_to_grant(
    app: Connection[Any], client: Client
) -> None:
    app.execute("revoke usage on schema cron from plain")
    with pytest.raises(Forbidden) as refusal:
        client.schedule_job("a", "@daily", "t", {})
    assert "grant usage on schema cron to plain" in refusal.value.hint
    assert client.list_schedules() == []


@pytest.mark.timeout(200)
def test_each_tick_enqueues_one_job_from_here_and_from_another_database(
    app: Connection[Any], client: Client, cron_server: Server
) -> None:
    while time.time() % 60 > 45:  # all three in one minute
        time.sleep(1)
    with Client(cron_server.dsn("other", user="scheduler")) as other:
        # Without pg_cron here the refusal says what to run where it is.
        with pytest.raises(NotFound) as refusal:
            other.schedule_job("far", "* * * * *", "t", {})
        advice = re.search(r"select cron\.schedule_in_database\(.*?\);", refusal.value.hint)
        assert advice
        other.schedule_job("far", "* * * * *", "t", {}, scheduler="external")
        app.execute(advice[0])
        client.schedule_job("near", "* * * * *", "tick-{tick}", {})
        client.schedule_job("near too", "* * * * *", "tick-{tick}", {})

        def ticks(of: Client) -> list[str]:
            of.run_schedules()  # a second scheduler, all the time
            return [job.thread_id for job in of.list_jobs()]

        until(lambda: len(ticks(client)) >= 2 and ticks(other), timeout=130)
        until(
            lambda: (
                app.execute(
                    "select count(*) from cron.job_run_details where status = 'succeeded'"
                ).fetchone()
                == (3,)
            ),
            timeout=60,
        )
        time.sleep(0.5)
        assert app.execute(
            "select count(*), count(distinct thread_id) from pgagent.agent_jobs"
        ).fetchone() == (2, 1), "two schedules, one tick"
        assert ticks(other) == ["t"]
        failed = app.execute(
            "select command, return_message from cron.job_run_details where status = 'failed'"
        ).fetchall()
        assert failed == []
