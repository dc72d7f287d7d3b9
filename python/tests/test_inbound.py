"""Work that comes in while nobody works."""

from __future__ import annotations

from typing import Any

from langgraph.graph import START, StateGraph

from support.family import Graph, Saver, State
from support.processes import DIED, die
from support.stage import Stage


def deadly_once(stage: Stage, saver: Saver) -> Graph:
    """Kills its worker when it first sees the third input."""

    def node(state: State) -> Any:
        seen = state["log"][-1]
        stage.journal.note("seen", text=seen)
        if seen == "3" and [note["text"] for note in stage.journal.notes("seen")].count("3") == 1:
            die()
        return {"note": [seen]}

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node")
    return graph.compile(checkpointer=saver)


def test_what_comes_in_while_no_worker_runs_is_delivered_in_order(stage: Stage) -> None:
    jobs = [stage.enqueue(payload={"log": [str(number)]}) for number in range(1, 11)]
    assert stage.deliver(deadly_once) == DIED
    stage.let_leases_run_out()
    assert stage.deliver(deadly_once) == 0

    order = [str(number) for number in range(1, 11)]
    assert [note["text"] for note in stage.journal.notes("seen")] == [*order[:3], *order[2:]]
    assert stage.state(deadly_once).values["note"] == order
    assert [stage.status(job) for job in jobs] == ["COMPLETED"] * 10
    assert stage.deliveries(jobs[2]) == [(1, "lost"), (1, "completed")]
