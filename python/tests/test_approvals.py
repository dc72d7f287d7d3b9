"""People in the loop: with real graphs, through the worker, and with workers that are killed."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt

from pgagent import (
    Ask,
    Client,
    Decision,
    HeadMoved,
    IdempotencyConflict,
    IllegalTransition,
    NotApproved,
    PgAgentSaver,
    Worker,
    durable_tool,
    request_approval,
)
from pgagent.calls import Approval
from support.family import Graph, Saver
from support.processes import Forked, die, until
from support.stage import Build, Stage, thread
from test_tools import INPUT, Chat, agent, asking_for


def paying(stage: Stage, *amounts: int, shape: str = "ToolNode", ask: bool | Ask = True) -> Build:
    """An agent that pays each amount once a person has agreed, in one step."""

    def pay(amount: int, *, idempotency_key: str) -> str:
        """Pay an amount."""
        stage.journal.note("paid", amount=amount, key=idempotency_key)
        return f"paid {amount}"

    durable = tool(durable_tool(pay, ask=ask))
    calls = [("pay", {"amount": amount}) for amount in amounts]

    def build(stage: Stage, saver: Saver) -> Graph:
        return agent(saver, asking_for(*calls), durable, shape=shape)

    return build


def paid(stage: Stage) -> list[int]:
    return sorted(note["amount"] for note in stage.journal.notes("paid"))


def told(stage: Stage, build: Build) -> list[tuple[str, str]]:
    """What the model was told by its tools."""
    messages = stage.state(build).values["messages"]
    return [(m.status, m.content) for m in messages if isinstance(m, ToolMessage)]


def pending(stage: Stage) -> list[Approval]:
    return stage.client.pending_approvals()


def amount_of(approval: Approval) -> int:
    assert approval.action is not None
    return int(approval.action["args"]["amount"])


SHAPES = ["ToolNode", "Send", "subgraph"]


# --- one decision each


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_that_ask_at_once_each_get_their_own_decision(stage: Stage, shape: str) -> None:
    build = paying(stage, 10, 9999, shape=shape)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    assert stage.status(job) == "AWAITING_HUMAN"
    small, large = sorted(pending(stage), key=amount_of)
    assert (amount_of(small), amount_of(large)) == (10, 9999)
    first = stage.client.decide_approval(large.approval_id, "reject", reason="too much")
    assert (first.open_questions, first.job_status) == (1, "AWAITING_HUMAN")
    last = stage.client.decide_approval(small.approval_id, "approve")
    assert (last.open_questions, last.job_status) == (0, "PENDING")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10]
    assert told(stage, build) == [
        ("success", "paid 10"),
        ("error", "A person rejected the call of pay. It was not made. Why: too much"),
    ]
