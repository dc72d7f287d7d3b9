"""When to kill whom. Kills are aimed at phases, and counted by the phase the victim died in."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from pgagent.demo.crew import WorkerProcess
from pgagent.demo.probe import KILLED_IN, STOPPED_IN, Phase
from pgagent.demo.stage import Stage

Action = Literal["kill", "stop"]

PATIENCE = 20.0
"""Seconds that a worker may take, once it goes on, to be refused a write."""

SPREAD = 0.3
"""Seconds in which a moment is chosen at random: about the length of a short job."""


@dataclass(eq=False)
class Stop:
    """A worker that was stopped in the middle of a job until somebody else had the job.

    Attributes:
        resumed: when it goes on, by the monotonic clock; None while the job is still its own.
        refusals: stale writes of the process that the server refused since then.
    """

    worker: WorkerProcess
    phase: Phase
    job_id: UUID
    token: int
    refusals_before: int
    refusals: int = 0
    resumed: float | None = None

    @property
    def over(self) -> bool:
        """Whether it was refused a write, or nobody waits for that any longer."""
        return self.refusals > 0 or (
            self.resumed is not None and time.monotonic() > self.resumed + PATIENCE
        )


@dataclass
class Strike:
    """What comes next: at a phase whenever somebody is in it, else at a moment."""

    action: Action
    phase: Phase | None
    moment: float = 0.0

    def hits(self, worker: WorkerProcess) -> bool:
        """Whether a worker is where this strikes."""
        return worker.phase > Phase.IDLE if self.phase is None else worker.phase is self.phase


class Mayhem:
    """Strikes at workers, one after the other. `step` is called all the time and never waits.

    A stop is aimed at the phase that was hit least, and so is a kill while that phase has had less
    than an eighth of them; other kills hit whoever has a job.

    Args:
        stage: where.
        actions: what to do, in order; may be endless.
        due: whether the next strike may come.
        chance: picks moments, phases and victims.

    Attributes:
        kills: by phase.
        stops: in order.
        last: when the last strike was, by the monotonic clock.
    """

    def __init__(
        self,
        stage: Stage,
        actions: Iterable[Action],
        due: Callable[[Mayhem], bool],
        chance: random.Random,
    ) -> None:
        self.kills: Counter[Phase] = Counter()
        self.stops: list[Stop] = []
        self.last = time.monotonic()
        self._stage = stage
        self._actions = iter(actions)
        self._next: Strike | None = None
        self._due = due
        self._chance = chance

    @property
    def struck(self) -> int:
        """How many strikes there were."""
        return self.kills.total() + len(self.stops)

    @property
    def settled(self) -> bool:
        """Whether every stopped worker went on and was refused."""
        return all(stop.over for stop in self.stops)

    def step(self) -> None:
        """Strike if it is time and a victim is in place; let stopped workers go on."""
        for stop in self.stops:
            if not stop.over:
                self._attend(stop)
        if self._next is None and self._due(self):
            action = next(self._actions, None)
            self._next = action and self._aim(action)
        if self._next is not None and self._carry_out(self._next):
            self._next = None
            self.last = time.monotonic()

    def _aim(self, action: Action) -> Strike:
        phases = KILLED_IN if action == "kill" else STOPPED_IN
        hits = self.kills if action == "kill" else Counter(stop.phase for stop in self.stops)
        fewest = min(hits[phase] for phase in phases)
        if action == "kill" and fewest * 8 > hits.total():
            return Strike(action, None, self._moment())
        return Strike(action, self._chance.choice([p for p in phases if hits[p] == fewest]))

    def _moment(self) -> float:
        return time.monotonic() + self._chance.uniform(0, SPREAD)

    def _carry_out(self, strike: Strike) -> bool:
        """Strike, if it is the moment and somebody is in the phase; whether it is done."""
        if time.monotonic() < strike.moment:
            return False
        victims = [worker for worker in self._exposed() if strike.hits(worker)]
        if not victims:
            if strike.phase is None:  # nobody has a job: not the very first moment of the next one
                strike.moment = self._moment()
            return False
        worker = self._chance.choice(victims)
        if strike.action == "stop":
            return self._stop(worker)
        self.kills[worker.kill()] += 1
        return True

    def _exposed(self) -> Iterator[WorkerProcess]:
        """Workers that may be struck: not those that still have to be refused a write."""
        spared = {stop.worker for stop in self.stops if not stop.over}
        return (
            worker for worker in self._stage.crew.workers if worker.alive and worker not in spared
        )

    def _stop(self, worker: WorkerProcess) -> bool:
        """Stop a worker; False when it may not be, and goes on as if nothing were.

        Somebody must be left to take the job over; and a worker that gave up a job when the server
        was away holds two until the first lease runs out.
        """
        if sum(other.stopped for other in self._stage.crew.workers) > self._stage.crew.size - 2:
            return False
        worker.stop()
        if worker.probe.may_stop:
            held = self._stage.ask(
                "select job_id, fencing_token from pgagent.agent_jobs where lease_owner = %s",
                (worker.name,),
            )
            if len(held) == 1:
                job_id, token = held[0]
                refusals = self._refusals_of(worker)
                self.stops.append(Stop(worker, worker.phase, job_id, token, refusals))
                return True
        worker.go_on()
        return False

    def _attend(self, stop: Stop) -> None:
        if stop.resumed is None:
            taken_over = self._stage.ask(
                "select from pgagent.agent_jobs where job_id = %s and fencing_token > %s",
                (stop.job_id, stop.token),
            )
            if taken_over:  # come back in the middle of what the new owner does, or after it
                stop.resumed = self._moment()
        elif not stop.worker.stopped:
            stop.refusals = self._refusals_of(stop.worker) - stop.refusals_before
        elif time.monotonic() >= stop.resumed:
            stop.worker.go_on()

    def _refusals_of(self, worker: WorkerProcess) -> int:
        refusals = self._stage.refusals.read()
        return sum(count for (name, _), count in refusals.items() if name == worker.name)
