"""Every place where a worker can die, over a family of graphs: it must not show in the end.

A worker process ends itself before or after the n-th put or put_writes of its saver; its lease runs
out, and the next worker goes on from what is stored.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from psycopg import Connection

from pgagent import AsyncWorker, Client, PgAgentSaver, Worker
from pgagent.calls import JobState
from pgagent.jsonable import jsonable
from pgagent.testing import Clock
from support.crashing import AsyncCrashingSaver, CrashingSaver, Moment, Point
from support.family import FAMILY, Case, Graph
from support.journal import Journal
from support.processes import DIED, in_process, until

DELIVERIES = 12
"""More than any job here takes."""


@dataclass
class Run:
    """One job on a thread of its own, from its first delivery to its end."""

    case: Case
    dsn: str
    clock: Clock
    conn: Connection[Any]
    journal: Journal
    thread_id: str
    calls: list[dict[str, int]] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    edits: list[str] = field(default_factory=list)
    died: bool = False
    is_async: bool = False

    def __post_init__(self) -> None:
        self.client = Client(self.conn)
        self.graph: Graph = self.case.build(self.journal, PgAgentSaver(self.conn))
        self.config: Any = {"configurable": {"thread_id": self.thread_id}}

    def deliver(self, point: Point | None) -> None:
        """Lets a worker process do what is due, until it dies or nothing is due."""

        def work() -> None:
            saver = CrashingSaver(self.dsn, self.journal, point)
            graph = self.case.build(self.journal, saver)
            Worker(graph, on_leftovers=self.case.on_leftovers).run(once=True)
            self.journal.note("calls", **saver.calls)

        async def later() -> None:
            saver = AsyncCrashingSaver(self.dsn, self.journal, point)
            graph = self.case.build(self.journal, saver)
            await AsyncWorker(graph, on_leftovers=self.case.on_leftovers).run(once=True)
            self.journal.note("calls", **saver.calls)
            await saver.close()

        code = in_process(lambda: asyncio.run(later()) if self.is_async else work())
        assert code in (0, DIED), f"the worker ended with {code}"
        self.journal.note("delivered", code=code, finished=self.finished())
        self.died |= code == DIED

    def drive(self, job_id: UUID, dies_in: int = 0, point: Point | None = None) -> JobState:
        """Delivers the job until it has ended, and answers for people. The n-th worker may die."""
        for number in range(1, DELIVERIES):
            job = self.job(job_id)
            if job.completed_at:
                return job
            if job.waiting_for:
                self.edit("paused")
                self.journal.note("answered")
                self.client.resume_job(job_id, self.answers(job.waiting_for))
            self.deliver(point if number == dies_in else None)
            until(lambda: self.taken_back(job_id))
            if number == dies_in:
                self.edit("dead")
        raise AssertionError("the job does not end")

    def taken_back(self, job_id: UUID) -> bool:
        """Lets time pass until no worker has the job: leases run out, waits before retries are
        over. The last call of a dead worker may still be under way, and extend the lease."""
        self.clock.advance(100)
        self.client.reap_expired()
        return self.job(job_id).worker is None

    def job(self, job_id: UUID) -> JobState:
        job = self.client.get_job(job_id)
        assert job is not None
        return job

    @property
    def ends_in(self) -> Any:
        if self.edits:
            return {**self.case.ends_in, "note": self.edits}
        return self.case.ends_in

    def answers(self, waiting_for: dict[str, Any]) -> dict[str, Any]:
        questions = {  # a breakpoint asks with what it stands before or after
            key: asked if isinstance(asked, str) else next(iter(asked))
            for key, asked in waiting_for.items()
        }
        self.asked.update(questions.values())
        return {key: self.case.answers[question] for key, question in questions.items()}

    def edit(self, when: str) -> None:
        """Lets a person change the state, once. Not while the input is being taken in:
        LangGraph's update_state would discard it, with or without us."""
        if (
            when == self.case.edited
            and not self.edits
            and all(task.name != "__start__" for task in self.state().tasks)
        ):
            # It drops what finished tasks of the step under way have stored, too.
            head = self.state().config["configurable"].get("checkpoint_id")
            self.graph.update_state(self.config, {"note": ["edited"]})
            self.edits.append("edited")
            self.journal.note("edited", checkpoint=head)

    def state(self) -> Any:
        return self.graph.get_state(self.config)

    def prepare(self) -> None:
        """Whatever was on the thread before."""
        if self.case.came_before is not None:
            earlier = self.client.enqueue_job(self.thread_id, self.case.came_before)
            assert self.drive(earlier.job_id).status == "COMPLETED"
        if self.case.leaves_behind is not None:
            earlier = self.client.enqueue_job(self.thread_id, self.case.leaves_behind)
            self.deliver(None)
            assert self.died
            until(lambda: self.taken_back(earlier.job_id))
            self.client.cancel_job(earlier.job_id)
            assert self.state().tasks
        self.died = False
        self.journal.note("begins")

    def walk(self, dies_in: int = 0, point: Point | None = None) -> list[str]:
        """Runs the job; what is wrong in the end."""
        self.prepare()
        job_id = self.client.enqueue_job(self.thread_id, self.case.payload).job_id
        job = self.drive(job_id, dies_in, point)
        notes = self.notes()
        self.calls = [note for note in notes if note["what"] == "calls"]
        state = self.state()
        wrong = []
        if job.status != "COMPLETED":
            wrong.append(f"the job is {job.status}: {job.error}")
        if state.values != self.ends_in:
            wrong.append(f"it ends in {state.values}")
        if job.result != jsonable(state.values):
            wrong.append(f"the result is {job.result}")
        if state.tasks or state.next:
            wrong.append(f"there are tasks left: {state.tasks}")
        if (inputs := self.inputs(job_id)) != 1:
            wrong.append(f"the input was taken in {inputs} times")
        if again := self.ran_again(notes):
            wrong.append(f"ran again: {again}")
        if self.asked != set(self.case.answers):
            wrong.append(f"people were asked {self.asked}")
        if self.failures() not in {self.case.failures, 0 if self.died else self.case.failures}:
            wrong.append(f"{self.failures()} deliveries failed")
        if point and not self.died:
            wrong.append("nobody died")
        return wrong

    def notes(self) -> list[dict[str, Any]]:
        notes = self.journal.notes()
        return notes[[note["what"] for note in notes].index("begins") :]

    def inputs(self, job_id: UUID) -> int:
        (count,) = self.conn.execute(
            "select count(*) from pgagent.checkpoints where job_id = %s and checkpoint_ns = ''"
            " and metadata ->> 'source' = 'input'",
            (job_id,),
        ).fetchone() or (None,)
        return int(count or 0)

    def finished(self) -> list[str]:
        """The tasks that count as finished: what they wrote is stored, or the next checkpoint."""
        stored = self.conn.execute(
            "select w.task_id, bool_or(w.channel = '__error__') from pgagent.checkpoint_writes as w"
            " join pgagent.checkpoints as c using (thread_id, checkpoint_ns, checkpoint_id)"
            " where thread_id = %s group by w.task_id having bool_or(w.idx >= 0)",
            (self.thread_id,),
        ).fetchall()
        passed = self.conn.execute(
            "select parent_checkpoint_id from pgagent.checkpoints"
            " where thread_id = %s and metadata ->> 'source' = 'loop'",
            (self.thread_id,),
        ).fetchall()
        acknowledged = {note["task"] for note in self.journal.notes("acknowledged")}
        done = {task for task, failed in stored if not failed or task in acknowledged}
        left = {checkpoint_id for (checkpoint_id,) in passed}
        ran = self.journal.notes("ran")
        return sorted(done | {note["task"] for note in ran if note["checkpoint"] in left})

    @staticmethod
    def ran_again(notes: list[dict[str, Any]]) -> list[str]:
        """Nodes that ran although a worker before had finished them."""
        done: set[str] = set()
        again = []
        for note in notes:
            if note["what"] == "delivered":
                done.update(note["finished"])
            elif note["what"] == "ran" and note["task"] in done:
                again.append(note["node"])
        return again

    def ran(self) -> Counter[str]:
        """How often each node ran."""
        return Counter(note["node"] for note in self.notes() if note["what"] == "ran")

    def before_the_answer(self) -> set[str]:
        """The nodes that ran before a person first answered; all of them when nobody did."""
        notes = itertools.takewhile(lambda note: note["what"] != "answered", self.notes())
        return {note["node"] for note in notes if note["what"] == "ran"}

    def failures(self) -> int:
        """How many deliveries of jobs of the thread ended in an error."""
        (count,) = self.conn.execute(
            "select count(*) from pgagent.job_attempts where thread_id = %s and outcome = 'failed'",
            (self.thread_id,),
        ).fetchone() or (0,)
        return int(count)

    def cut_short(self) -> Counter[str]:
        """The nodes that had begun and not finished when the worker died or a person stepped in."""
        begun: dict[str, dict[str, Any]] = {}
        for note in self.notes():
            if note["what"] == "ran":
                begun[note["task"]] = note
            elif note["what"] == "delivered" and note["code"] == DIED:
                dead = {task: begun[task] for task in begun.keys() - set(note["finished"])}
                edited = {n["checkpoint"] for n in self.journal.notes("edited")}
                return Counter(
                    note["node"]
                    for task, note in begun.items()
                    if task in dead or note["checkpoint"] in edited
                )
        return Counter()


@pytest.fixture
def start(
    worker_dsn: str, owner: Connection[Any], pgagent_clock: Clock, tmp_path: Path
) -> Callable[..., Run]:
    """Makes runs, each on a thread of its own."""
    threads = (f"t{n}" for n in itertools.count())

    def start(case: Case, **options: Any) -> Run:
        thread_id = next(threads)
        journal = Journal(tmp_path / thread_id)
        return Run(case, worker_dsn, pgagent_clock, owner, journal, thread_id, **options)

    return start


@pytest.mark.parametrize("name", FAMILY)
def test_a_death_at_any_point_does_not_show_in_the_end(
    start: Callable[..., Run], name: str
) -> None:
    die_everywhere(FAMILY[name], lambda: start(FAMILY[name]))


ASYNC = [
    "parallel, one failing once", "fan-out", "subgraph", "two questions at once",
    "breakpoint after", "leftovers kept",
]  # fmt: skip
"""Of the family; the rules are those of the others."""


@pytest.mark.parametrize("name", ASYNC)
def test_a_death_at_any_point_of_a_run_with_await_does_not_show_in_the_end(
    start: Callable[..., Run], name: str
) -> None:
    die_everywhere(FAMILY[name], lambda: start(FAMILY[name], is_async=True))


def die_everywhere(case: Case, run: Callable[[], Run]) -> None:
    edits = 0
    undisturbed = run()
    assert undisturbed.walk() == []

    moments: tuple[Moment, ...] = ("before", "after")
    points = [
        (number, Point(method, n, moment))
        for number, calls in enumerate(undisturbed.calls, 1)
        for method in ("put", "put_writes")
        for n in range(1, calls[method] + 1)
        for moment in moments
    ]
    wrong = {}
    for number, point in points:
        for _ in range(3):  # the tasks of a step may come in another order
            walked = run()
            faults = walked.walk(number, point)
            if walked.died:
                break
        if not (again := walked.ran() - undisturbed.ran()) <= walked.cut_short():
            faults.append(f"{again} ran once more, only {walked.cut_short()} were cut short")
        if early := walked.before_the_answer() - undisturbed.before_the_answer():
            faults.append(f"{early} ran before anybody had answered")
        edits += len(walked.edits)
        if faults:
            wrong[number, *point] = faults
    assert wrong == {}
    assert len(points) >= case.points
    assert edits >= case.edits
