"""A server with pgagent, a queue full of recorded conversations, and workers to play them."""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, Self

import psycopg

from pgagent.client import Client
from pgagent.demo import recording
from pgagent.demo.crew import Crew
from pgagent.demo.effects import Effects
from pgagent.demo.probe import Journal
from pgagent.demo.recording import Recording
from pgagent.demo.worker import WorkerConfig
from pgagent.embedded import Server
from pgagent.install import install

ROLE = "pgagent_demo_worker"
"""What the workers connect as: a login role with the access of a worker, and no more."""

_DONE = ("COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT")
_LOOK = 0.25  # seconds between two looks at the jobs


@dataclass(frozen=True)
class Pace:
    """How long things take, in seconds.

    Attributes:
        lease: how long a job is its worker's without a renewal.
        model: a call of the model.
        pause: before the first checkpoint, between effect and receipt, after the last checkpoint.
    """

    lease: float = 3.0
    model: float = 0.1
    pause: float = 0.02


class Refusals:
    """Stale writes that the server refused, read from its log as it grows."""

    _LINE = re.compile(r"^\S+ \S+ \S+ \[\d+\] PA002 (\S+) STATEMENT:  .*pgagent\.(\w+)\(")

    def __init__(self, log: Path) -> None:
        self._log = log
        self._offset = 0
        self._found: Counter[tuple[str, str]] = Counter()

    def read(self) -> Counter[tuple[str, str]]:
        """Return how many there were so far, by worker and function."""
        with self._log.open("rb") as log:
            log.seek(self._offset)
            whole_lines = log.read().rpartition(b"\n")[0]
        self._offset += len(whole_lines) + 1 if whole_lines else 0
        for line in whole_lines.decode(errors="replace").splitlines():
            found = self._LINE.match(line)
            if found:
                self._found[found[1], found[2]] += 1
        return self._found


class Stage:
    """All of it, as a context manager: server, role, ledger and jobs are there when it is entered.

    Args:
        recordings: one thread each, one job a user turn, all enqueued at the start.
        workers: how many worker processes.
        pace: how long things take.
        directory: where to leave the logs; by default nothing is left.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        workers: int,
        pace: Pace,
        directory: Path | None = None,
    ) -> None:
        self.recordings = recordings
        self._workers = workers
        self.pace = pace
        self.jobs: Counter[str] = Counter()
        """Jobs by status, as of the last look."""
        self.restarts = 0
        self._kept = directory
        self._looked = 0.0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.server = stack.enter_context(
                Server(settings={"log_line_prefix": "%m [%p] %e %a "})
            )
            self.directory = self._kept or self.server.log.parent  # goes, even when we are killed
            if self._kept:
                stack.callback(shutil.copy, self.server.log, self.directory / "server.log")
            self.dsn = self.server.dsn()
            self.effects = Effects(self.dsn)
            self.refusals = Refusals(self.server.log)
            self.journal = Journal(self.directory / "journal")
            recording.save(self.directory / "recordings", self.recordings)
            self._set_up()
            self.crew = stack.enter_context(Crew(self._workers, self.directory, self._config_of))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stack.close()

    @property
    def total(self) -> int:
        """How many jobs there are."""
        return self.jobs.total()

    @property
    def done(self) -> int:
        """How many jobs have ended, as of the last look."""
        return sum(self.jobs[status] for status in _DONE)

    def look(self) -> None:
        """Replace dead workers and, now and then, count the jobs."""
        self.crew.start_missing()
        if time.monotonic() - self._looked > _LOOK:
            self.count_jobs()

    def count_jobs(self) -> Counter[str]:
        """Count the jobs, by status."""
        self.jobs = Counter(
            dict(self.ask("select status, count(*) from pgagent.agent_jobs group by status"))
        )
        self._looked = time.monotonic()
        return self.jobs

    def restart_server(self) -> None:
        """Restart the server as a crash would: `pg_ctl restart -m immediate`."""
        self.server.restart("immediate")
        self.restarts += 1

    def ask(self, query: LiteralString, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one query as the owner of the database."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            return connection.execute(query, parameters).fetchall()

    def _set_up(self) -> None:
        install(self.dsn)
        with psycopg.connect(self.dsn) as connection:
            connection.execute(f"create role {ROLE} login")
            connection.execute("select pgagent.grant_access(%s, 'worker')", (ROLE,))
        self.effects.create(ROLE)
        with Client(self.dsn) as client:
            for played in self.recordings:
                for number, turn in enumerate(played.turns(), 1):
                    client.enqueue_job(
                        played.thread_id,
                        {"messages": turn},
                        config={"recursion_limit": 1000},
                        idempotency_key=f"turn {number}",
                        max_attempts=20,  # who is killed again and again is not at fault
                    )
        self.count_jobs()

    def _config_of(self, name: str, probe: Path) -> WorkerConfig:
        return WorkerConfig(
            name=name,
            dsn=self.server.dsn(user=ROLE, application_name=name),
            recordings=str(self.directory / "recordings"),
            probe=str(probe),
            journal=str(self.directory / "journal"),
            lease=self.pace.lease,
            model_seconds=self.pace.model,
            pause_seconds=self.pace.pause,
        )
