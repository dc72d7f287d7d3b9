"""LangChain's own agents and middleware, where langchain is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool

from pgagent import BadArgument, durable_tool
from support.family import Graph, Saver
from support.stage import Build, Stage

agents = pytest.importorskip("langchain.agents")
middleware = pytest.importorskip("langchain.agents.middleware")


class Model(GenericFakeChatModel):
    """Says what it is given, and takes tools."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


def reviewed(stage: Stage, mode: str) -> Build:
    """An agent whose three payments are reviewed by HumanInTheLoopMiddleware."""

    def build(stage: Stage, saver: Saver) -> Graph:
        @tool
        @durable_tool
        def pay(amount: int) -> str:
            """Pay an amount."""
            stage.journal.note("paid", amount=amount)
            return f"paid {amount}"

        calls = [{"name": "pay", "args": {"amount": n}, "id": f"c{n}"} for n in (1, 2, 3)]
        said = iter([AIMessage("", tool_calls=calls), AIMessage("done")])
        if any(note["what"] == "asked" for note in stage.journal.notes()):
            next(said)
        stage.journal.note("asked")
        graph: Graph = agents.create_agent(
            Model(messages=said),
            [pay],
            middleware=[
                middleware.HumanInTheLoopMiddleware(
                    interrupt_on={
                        "pay": {"allowed_decisions": ["approve", "edit", "reject"]},
                    },
                    interrupt_mode=mode,
                )
            ],
            checkpointer=saver,
        )
        return graph

    return build


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_calls_that_the_middleware_reviews_are_decided_one_by_one(stage: Stage, mode: str) -> None:
    build = reviewed(stage, mode)
    job = stage.enqueue(payload={"messages": [{"role": "user", "content": "pay"}]})
    stage.deliver(build)
    assert stage.status(job) == "AWAITING_HUMAN", stage.job(job).error
    by_amount = {
        a.action["args"]["amount"]: a for a in stage.client.pending_approvals() if a.action
    }
    assert sorted(by_amount) == [1, 2, 3]
    assert by_amount[1].allowed == ["approve", "edit", "reject"]
    decide: Callable[..., Any] = stage.client.decide_approval
    decide(by_amount[1].approval_id, "approve")
    decide(by_amount[2].approval_id, "reject", reason="no")
    if mode == "per_call":
        with pytest.raises(BadArgument, match="must be integer"):
            decide(by_amount[3].approval_id, "edit", edited_action={"args": {"amount": "x"}})
    decide(by_amount[3].approval_id, "edit", edited_action={"args": {"amount": 30}})
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED", stage.job(job).error
    assert sorted(note["amount"] for note in stage.journal.notes("paid")) == [1, 30]
    told = {
        m.tool_call_id: m.status
        for m in stage.state(build).values["messages"]
        if isinstance(m, ToolMessage)
    }
    assert told == {"c1": "success", "c2": "error", "c3": "success"}
