"""Jobs that run again after they had ended, with real graphs through the worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from pgagent import PgAgentSaver
from pgagent.driving import drive
from pgagent.resume import Delivery, deliver
from support.family import Fault, Graph, Saver, State
from support.processes import DIED, die
from support.stage import Stage, thread


class Trouble:
    """Something that is wrong until it is mended."""

    def __init__(self, stage: Stage) -> None:
        self.path = Path(stage.path) / "mended"

    def mend(self) -> None:
        self.path.touch()

    def strike(self) -> None:
        if not self.path.exists():
            raise Fault("trouble")


def in_three_steps(stage: Stage, saver: Saver) -> Graph:
    """a, then b which asks a person, then c which fails until the trouble is mended."""

    def step(name: str) -> Any:
        def run(state: State) -> Any:
            stage.journal.ran(name)
            said = [name]
            if name == "b":
                said.append(interrupt("go on?"))
            if name == "c":
                Trouble(stage).strike()
            return {"log": said}

        return run

    graph = StateGraph(State)
    for name, before in (("a", START), ("b", "a"), ("c", "b")):
        graph.add_node(name, step(name))
        graph.add_edge(before, name)
    return graph.compile(checkpointer=saver)


def deadly(stage: Stage, saver: Saver) -> Graph:
    """a, then b which kills its worker until the trouble is mended."""

    def a(state: State) -> Any:
        stage.journal.ran("a")
        return {"log": ["a"]}

    def b(state: State) -> Any:
        stage.journal.ran("b")
        try:
            Trouble(stage).strike()
        except Fault:
            die()
        return {"log": ["b"]}

    graph = StateGraph(State).add_node("a", a).add_node("b", b)
    graph.add_edge(START, "a").add_edge("a", "b")
    return graph.compile(checkpointer=saver)


def test_a_failed_run_goes_on_where_it_stopped_with_the_answers_it_had(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=1)
    stage.deliver(in_three_steps)
    (asked,) = stage.state(in_three_steps).interrupts
    stage.client.resume_job(job, {asked.id: "yes"})
    for _ in range(2):  # the delivery that made progress does not count
        stage.deliver(in_three_steps)
        stage.clock.advance(100)
    assert stage.status(job) == "FAILED"

    Trouble(stage).mend()
    assert stage.client.requeue_job(job, reason="mended").requeued
    stage.deliver(in_three_steps)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(in_three_steps).values["log"] == ["in", "a", "b", "yes", "c"]
    assert stage.journal.nodes() == ["a", "b", "b", "c", "c", "c"]


def test_a_run_that_always_killed_its_worker_goes_on_where_it_stopped(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=2)
    for _ in range(3):
        assert stage.deliver(deadly) == DIED
        stage.let_leases_run_out()
    assert stage.status(job) == "FAILED"

    Trouble(stage).mend()
    stage.client.requeue_job(job)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    assert stage.deliveries(job)[-1] == (1, "completed")
    assert stage.state(deadly).values["log"] == ["in", "a", "b"]
    assert stage.journal.nodes() == ["a", "b", "b", "b", "b"]


def failed(stage: Stage) -> Any:
    """A run of deadly that has failed in b."""
    job = stage.enqueue(max_attempts=1)
    while stage.status(job) != "FAILED":
        stage.deliver(deadly)
        stage.let_leases_run_out()
    Trouble(stage).mend()
    return job


def test_after_another_run_it_begins_anew_and_is_not_taken_for_that_run(stage: Stage) -> None:
    job = failed(stage)
    other = stage.enqueue(payload={"log": ["other"]})
    stage.deliver(deadly)
    assert stage.status(other) == "COMPLETED"

    stage.client.requeue_job(job)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    log = stage.state(deadly).values["log"]
    assert log == ["in", "a", "other", "a", "b", "in", "a", "b"]


def test_behind_a_live_run_it_begins_anew_when_its_turn_comes(stage: Stage) -> None:
    job = failed(stage)
    stage.enqueue(payload={"log": ["other"]})
    assert stage.client.requeue_job(job).status == "WAITING"
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    log = stage.state(deadly).values["log"]
    assert log == ["in", "a", "other", "a", "b", "in", "a", "b"]


def test_behind_a_live_run_that_never_came_to_run_it_goes_on(stage: Stage) -> None:
    job = failed(stage)
    other = stage.enqueue(payload={"log": ["other"]})
    stage.client.requeue_job(job)
    stage.client.cancel_job(other)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(deadly).values["log"] == ["in", "a", "b"]


def test_it_goes_on_from_what_a_person_changed(stage: Stage) -> None:
    job = failed(stage)
    graph = deadly(stage, PgAgentSaver(stage.conn))
    graph.update_state(thread(), {"log": ["mended by hand"]}, as_node="a")
    stage.client.requeue_job(job)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(deadly).values["log"] == ["in", "a", "mended by hand", "b"]


def test_from_the_start_it_begins_with_its_payload(stage: Stage) -> None:
    job = failed(stage)
    stage.client.requeue_job(job, from_start=True)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(deadly).values["log"] == ["in", "a", "in", "a", "b"]


def test_a_run_that_only_its_worker_did_not_report_is_complete(stage: Stage) -> None:
    job = stage.enqueue(max_attempts=1)
    claimed = stage.client.claim_job("w1")
    assert claimed is not None
    Trouble(stage).mend()
    saver = PgAgentSaver(stage.conn)
    drive(deliver(Delivery(deadly(stage, saver), saver, claimed)))
    stage.client.fail_job(job, claimed.fencing_token, "the report was lost", fatal=True)

    stage.client.requeue_job(job)
    stage.deliver(deadly)
    assert stage.status(job) == "COMPLETED"
    assert stage.job(job).result["log"] == ["in", "a", "b"]
    assert stage.journal.nodes() == ["a", "b"]
