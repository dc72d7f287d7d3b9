"""The worker in bash and psql: what docs/other-languages.md says, and none of our Python."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from pgagent.testing import Server
from support.processes import until
from support.stage import Stage

SCRIPT = Path(__file__).parents[2] / "examples" / "worker.sh"

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(stage: Stage, pgagent_server: Server) -> Iterator[Start]:
    """Starts workers in process groups of their own, which are gone at the end."""
    given = conninfo_to_dict(stage.dsn)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}
    environment = {
        **os.environ,
        **{name: str(given[key]) for key, name in names.items()},
        "PATH": f"{pgagent_server.bindir}:{os.environ['PATH']}",
    }
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [SCRIPT, "--poll", "0.1", *arguments],
            env={**environment, **variables},
            text=True,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.wait(20)
        assert process.stderr is not None
        process.stderr.close()


def finished(process: subprocess.Popen[str]) -> str:
    """What it said once it has ended, which it did well."""
    _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    return said


def test_the_command_gets_the_payload_and_its_output_is_the_result(
    stage: Stage, start: Start
) -> None:
    job = stage.enqueue("it's a thread", {"question": 'a "quoted" \n one', "n": [1, None]})
    assert finished(start("--once", "--json", "cat")) == ""
    assert stage.status(job) == "COMPLETED"
    assert stage.job(job).result == {"question": 'a "quoted" \n one', "n": [1, None]}


def test_output_is_text_unless_json_is_said(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    finished(start("--once", "sh", "-c", 'echo "{not json} $PGAGENT_THREAD_ID $PGAGENT_ATTEMPT"'))
    assert stage.job(job).result == "{not json} t 1"


def test_an_output_that_is_larger_than_an_argument_can_be_is_stored(
    stage: Stage, start: Start
) -> None:
    job = stage.enqueue()
    finished(start("--once", "sh", "-c", "head -c 500000 /dev/zero | tr '\\0' x"))
    assert stage.job(job).result == "x" * 500_000


@pytest.mark.parametrize(
    ("code", "status"), [(0, "COMPLETED"), (65, "FAILED"), (75, "PENDING"), (7, "PENDING")]
)
def test_the_exit_code_says_what_becomes_of_the_job(
    stage: Stage, start: Start, code: int, status: str
) -> None:
    job = stage.enqueue("t", {}, max_attempts=2)
    worker = start("--once", "sh", "-c", f"test $PGAGENT_ATTEMPT = 1 && sleep 0.2; exit {code}")
    if code == 75:  # due again at once
        until(lambda: len(stage.deliveries(job)) >= 2)
        worker.send_signal(signal.SIGTERM)
        finished(worker)
        assert {outcome for _, outcome in stage.deliveries(job)} == {"released"}
        assert {attempt for attempt, _ in stage.deliveries(job)} == {1}
    else:
        finished(worker)
        outcome = "completed" if code == 0 else "failed"
        assert stage.deliveries(job) == [(1, outcome)]
    assert stage.status(job) == status


def test_a_killed_worker_leaves_its_job_to_the_next(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    first = start("sleep", "60")
    until(lambda: stage.status(job) == "IN_PROGRESS")
    first.kill()
    first.wait()
    stage.let_leases_run_out()
    finished(start("--once", "echo", "done"))
    assert stage.deliveries(job) == [(1, "lost"), (2, "completed")]


def test_a_lost_job_ends_the_command_and_is_not_told_about(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    worker = start("--lease", "3", "sh", "-c", "test $PGAGENT_ATTEMPT = 2 || sleep 60; echo again")
    until(lambda: stage.status(job) == "IN_PROGRESS")
    stage.let_leases_run_out()
    until(lambda: stage.status(job) == "COMPLETED", 20)
    assert stage.job(job).result == "again"
    worker.send_signal(signal.SIGTERM)
    assert "lost job" in finished(worker)


def test_a_cancelled_job_ends_its_command(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    start("--lease", "3", "sleep", "60")
    until(lambda: stage.status(job) == "IN_PROGRESS")
    stage.client.cancel_job(job)
    until(lambda: stage.status(job) == "CANCELLED", 20)


def test_sigterm_gives_the_job_back(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    worker = start("sleep", "60")
    until(lambda: stage.status(job) == "IN_PROGRESS")
    worker.send_signal(signal.SIGTERM)
    finished(worker)
    assert stage.deliveries(job) == [(1, "released")]
    assert stage.status(job) == "PENDING"


def test_what_a_lease_is_for_is_renewed(stage: Stage, start: Start) -> None:
    job = stage.enqueue()
    finished(start("--once", "--lease", "2", "sleep", "4"))
    assert stage.deliveries(job) == [(1, "completed")]


def test_options_that_it_does_not_know_are_refused(start: Start) -> None:
    worker = start("--quick", "true")
    _, said = worker.communicate(timeout=10)
    assert worker.returncode == 64
    assert said == "worker.sh: there is no option --quick; see --help\n"


def test_an_option_without_its_value_is_refused(start: Start) -> None:
    worker = start("--lease")
    _, said = worker.communicate(timeout=10)
    assert (worker.returncode, said) == (64, "worker.sh: what after --lease?; see --help\n")


@pytest.mark.parametrize(
    ("variables", "why"),
    [({"PGPORT": "1"}, "no answer from the server"), ({"PGDATABASE": "template1"}, "3F000")],
)
def test_a_worker_that_cannot_claim_says_why(
    start: Start, variables: dict[str, str], why: str
) -> None:
    worker = start("--once", "true", **variables)
    _, said = worker.communicate(timeout=10)
    assert (worker.returncode, said) == (69, f"worker.sh: no claim: {why}\n")


def test_the_end_of_a_job_takes_nothing_from_those_that_follow(stage: Stage, start: Start) -> None:
    jobs = [stage.enqueue(f"t{n}") for n in range(240)]
    # Several, so that now and then a heartbeat is ended before it has begun.
    workers = [start("--once", "echo", "done") for _ in range(4)]
    assert [worker.communicate(timeout=200)[1] for worker in workers] == [""] * 4
    assert {stage.job(job).result for job in jobs} == {"done"}
