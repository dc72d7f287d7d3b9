"""The worker process: ``python -m pgagent.demo.worker '{...}'``, with a `WorkerConfig` as JSON."""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from pgagent.calls import Job
from pgagent.demo import recording
from pgagent.demo.agent import World, build_agent
from pgagent.demo.effects import Effects
from pgagent.demo.probe import Journal, Phase, Probe
from pgagent.saver import PgAgentSaver
from pgagent.worker import Worker, last_word


@dataclass(frozen=True)
class WorkerConfig:
    """What a worker process has to know. Times are seconds."""

    name: str
    dsn: str
    recordings: str
    probe: str
    journal: str
    lease: float
    model_seconds: float
    pause_seconds: float

    def to_json(self) -> str:
        """What `work` reads."""
        return json.dumps(asdict(self))


class WatchedWorker(Worker):
    """A worker whose phase can be seen from outside."""

    def __init__(self, world: World, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, to_input=self._take, to_result=self._give, **kwargs)
        self._world = world

    def work(self, job: Job) -> None:
        """Delivers one job."""
        with self._world.probe.inside(Phase.JOB):
            super().work(job)

    def _take(self, payload: Any) -> Any:
        self._world.dwell(Phase.INPUT)
        return payload

    def _give(self, values: Any) -> Any:
        self._world.dwell(Phase.RESULT)
        return last_word(values)


def work(config: WorkerConfig) -> None:
    """Claims and runs jobs until told to stop."""
    world = World(
        recordings=recording.load(Path(config.recordings)),
        effects=Effects(config.dsn),
        probe=Probe(Path(config.probe)),
        journal=Journal(Path(config.journal)),
        model_seconds=config.model_seconds,
        pause_seconds=config.pause_seconds,
    )
    with PgAgentSaver.from_conn_string(config.dsn) as saver:
        agent = build_agent(world, saver)
        worker = WatchedWorker(world, agent, name=config.name, lease=config.lease, poll=0.2)
        world.probe.started()
        worker.run()


def _end_with_parent() -> None:
    """Ends this process when the other end of its standard input is gone."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.INFO)
    Thread(target=_end_with_parent, daemon=True).start()
    work(WorkerConfig(**json.loads(sys.argv[1])))
