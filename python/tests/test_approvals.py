"""People in the loop: with real graphs, through the worker, and with workers that are killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from pgagent import (
    Ask,
    AsyncPgAgentSaver,
    BadArgument,
    Client,
    HeadMoved,
    IdempotencyConflict,
    IllegalTransition,
    NotApproved,
    PgAgentSaver,
    Worker,
    arequest_approval,
    durable_tool,
    request_approval,
)
from pgagent.calls import Approval
from pgagent.driving import Rule
from support.family import Graph, Saver, State
from support.processes import DIED, die, in_process, until
from support.stage import Build, Stage, thread
from test_tools import INPUT, agent, asking_for

MONTHS = timedelta(days=200)


def meeting(parties: int) -> Callable[[Any], bool]:
    """Waits until as many calls have begun: ToolNode may give up those that have not when the first
    one asks."""
    barrier = threading.Barrier(parties)

    def meet(_: Any) -> bool:
        with contextlib.suppress(threading.BrokenBarrierError):
            barrier.wait(20)
        return True

    return meet


def paying(stage: Stage, *amounts: int, shape: str = "ToolNode", ask: Ask | None = None) -> Build:
    """An agent that pays each amount once a person has agreed, in one step."""

    def pay(amount: int, *, idempotency_key: str) -> str:
        """Pay an amount."""
        stage.journal.note("paid", amount=amount, key=idempotency_key)
        return f"paid {amount}"

    durable = tool(durable_tool(pay, ask=ask or Ask(when=meeting(len(amounts)))))
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


def the_approval(stage: Stage) -> UUID:
    (approval,) = pending(stage)
    return approval.approval_id


def amount_of(approval: Approval) -> int:
    assert approval.action is not None
    return int(approval.action["args"]["amount"])


def one_node(node: Callable[[State], Any]) -> Build:
    """A graph of one node."""

    def build(stage: Stage, saver: Saver) -> Graph:
        return StateGraph(State).add_node("ask", node).add_edge(START, "ask").compile(saver)

    return build


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
    stage.deliver(build)
    assert paid(stage) == []
    last = stage.client.decide_approval(small.approval_id, "approve")
    assert (last.open_questions, last.job_status) == (0, "PENDING")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10]
    assert told(stage, build) == [
        ("success", "paid 10"),
        ("error", "A person rejected the call of pay. It was not made. Why: too much"),
    ]


def test_many_calls_that_ask_at_once_each_get_their_own_decision(stage: Stage) -> None:
    amounts = list(range(1, 13))
    build = paying(stage, *amounts, ask=Ask())
    job = stage.enqueue(payload=INPUT)
    asked = []
    for _ in range(5):  # ToolNode does not begin all of them before the first one asks
        stage.deliver(build)
        for approval in pending(stage):
            asked.append(amount_of(approval))
            even = asked[-1] % 2 == 0
            stage.client.decide_approval(approval.approval_id, "approve" if even else "reject")
    assert stage.status(job) == "COMPLETED"
    assert sorted(asked) == amounts
    assert paid(stage) == amounts[1::2]
    assert [status for status, _ in told(stage, build)] == ["error", "success"] * 6


def test_questions_of_two_nodes_are_answered_by_interrupt_id(stage: Stage) -> None:
    def asking(name: str) -> Callable[[State], Any]:
        def node(state: State) -> Any:
            stage.journal.ran(name)
            return {"log": [f"{name}={interrupt(name)}"]}

        return node

    def build(stage: Stage, saver: Saver) -> Graph:
        graph = StateGraph(State).add_node("x", asking("x")).add_node("y", asking("y"))
        return graph.add_edge(START, "x").add_edge(START, "y").compile(saver)

    job = stage.enqueue()
    stage.deliver(build)
    x, y = sorted(pending(stage), key=lambda approval: str(approval.question))
    stage.client.decide_approval(y.approval_id, "respond", response="Y")
    stage.deliver(build)
    assert stage.status(job) == "AWAITING_HUMAN"
    assert sorted(stage.journal.nodes()) == ["x", "y"]
    stage.client.decide_approval(x.approval_id, "approve")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(build).values["log"] == ["in", "x=True", "y=Y"]


# --- approve, edit, reject, respond


def test_an_edited_call_is_made_as_edited_and_both_versions_are_kept(stage: Stage) -> None:
    build = paying(stage, 9999)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    approval = the_approval(stage)
    with pytest.raises(BadArgument, match=r"args\.amount must be integer"):
        stage.client.decide_approval(approval, "edit", edited_action={"args": {"amount": "much"}})
    with pytest.raises(BadArgument, match=r"args\.to is not allowed"):
        stage.client.decide_approval(
            approval, "edit", edited_action={"args": {"amount": 1, "to": 1}}
        )
    stage.client.decide_approval(
        approval, "edit", edited_action={"args": {"amount": 5}}, reason="less", decided_by="ann"
    )
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [5]
    (said,) = told(stage, build)
    assert said[0] == "success"
    assert 'changed the arguments of pay to {"amount": 5}' in said[1]
    assert said[1].endswith("paid 5")
    kept = stage.client.get_approval(approval)
    assert kept is not None
    assert (kept.status, kept.decided_by, kept.reason) == ("EDITED", "ann", "less")
    assert kept.action == {"name": "pay", "args": {"amount": 9999}}
    assert kept.edited_action == {"name": "pay", "args": {"amount": 5}}
    (call,) = stage.conn.execute("select args, decision from pgagent.tool_calls").fetchall()
    assert call == ({"amount": 5}, {"type": "edit", "edited_action": kept.edited_action})


def test_a_response_stands_for_the_call(stage: Stage) -> None:
    build = paying(stage, 10)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    stage.client.decide_approval(the_approval(stage), "respond", response="it is paid already")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == []
    assert told(stage, build) == [("success", "it is paid already")]


def test_only_calls_that_need_it_are_asked_about(stage: Stage) -> None:
    build = paying(stage, 10, 9999, ask=Ask(when=lambda args: args["amount"] > 100))
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    assert [amount_of(approval) for approval in pending(stage)] == [9999]
    assert paid(stage) == [10]
    stage.client.decide_approval(the_approval(stage), "approve")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10, 9999]


def test_what_a_tool_says_about_its_question_is_shown(stage: Stage) -> None:
    ask = Ask(
        allowed=["approve", "reject"],
        timeout=3600,
        description=lambda args: f"{args['amount']} euros",
    )
    build = paying(stage, 10, ask=ask)
    stage.enqueue(payload=INPUT)
    stage.deliver(build)
    (approval,) = pending(stage)
    assert approval.allowed == ["approve", "reject"]
    assert approval.question["action_requests"][0]["description"] == "10 euros"
    assert approval.args_schema == {
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"],
        "additionalProperties": False,
    }
    assert approval.expires_at is not None
    assert approval.asked_at is not None
    assert approval.expires_at - approval.asked_at == timedelta(hours=1)


def test_in_a_node_a_call_that_is_not_approved_raises(stage: Stage) -> None:
    @durable_tool(ask=True)
    def pay(amount: int) -> str:
        stage.journal.note("paid", amount=amount)
        return f"paid {amount}"

    def node(state: State) -> Any:
        try:
            return {"log": [pay(10)]}
        except NotApproved as refused:
            return {"log": [f"{refused.decision.type} by {refused.decision.decided_by}"]}

    build = one_node(node)
    job = stage.enqueue()
    stage.deliver(build)
    stage.client.decide_approval(the_approval(stage), "reject", decided_by="ann")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(build).values["log"] == ["in", "reject by ann"]
    assert paid(stage) == []


def test_a_tool_asks_by_itself(stage: Stage) -> None:
    meet = meeting(2)

    @tool
    def pay(amount: int, call_id: Annotated[str, InjectedToolCallId]) -> str:
        """Pay an amount."""
        meet(amount)
        decision = request_approval("pay", {"amount": amount}, tool_call_id=call_id)
        return f"{amount}: {decision.type}"

    def build(stage: Stage, saver: Saver) -> Graph:
        model = asking_for(("pay", {"amount": 10}), ("pay", {"amount": 9999}))
        return agent(saver, model, pay)

    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    for approval in pending(stage):
        small = amount_of(approval) == 10
        stage.client.decide_approval(approval.approval_id, "approve" if small else "reject")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert [content for _, content in told(stage, build)] == ["10: approve", "9999: reject"]


def test_questions_before_and_after_an_approval_keep_their_answers(stage: Stage) -> None:
    @durable_tool(ask=True)
    def pay(amount: int) -> str:
        stage.journal.note("paid", amount=amount)
        return f"paid {amount}"

    def node(state: State) -> Any:
        name = interrupt("name?")
        receipts = [pay(1), pay(2)]
        return {"log": [name, *receipts, interrupt("sure?")]}

    build = one_node(node)
    job = stage.enqueue()
    for given in ("Bob", None, None, "yes"):
        stage.deliver(build)
        (approval,) = pending(stage)
        if given is None:
            stage.client.decide_approval(approval.approval_id, "approve")
        else:
            stage.client.decide_approval(approval.approval_id, "respond", response=given)
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(build).values["log"] == ["in", "Bob", "paid 1", "paid 2", "yes"]
    assert paid(stage) == [1, 2]


def test_a_node_that_words_the_call_differently_is_told(stage: Stage) -> None:
    def node(state: State) -> Any:
        stage.journal.note("ran")
        request_approval("pay", {"amount": 10 * stage.journal.count("ran")})
        return {"log": ["paid"]}

    build = one_node(node)
    job = stage.enqueue(max_attempts=1)
    stage.deliver(build)
    stage.client.decide_approval(the_approval(stage), "approve")
    stage.deliver(build)
    assert stage.status(job) == "FAILED"
    assert stage.job(job).error["type"] == IdempotencyConflict.__name__


def test_actions_in_the_form_of_langchains_middleware_are_decided_one_by_one(stage: Stage) -> None:
    """As HumanInTheLoopMiddleware asks: all calls of a message in one interrupt."""

    def node(state: State) -> Any:
        names = ["pay", "mail", "call"]
        response = interrupt(
            {
                "action_requests": [{"name": n, "args": {"to": "Bob"}} for n in names],
                "review_configs": [
                    {"action_name": n, "allowed_decisions": ["approve", "edit", "reject"]}
                    for n in names
                ],
            }
        )
        return {"log": [json.dumps(response, sort_keys=True)]}

    build = one_node(node)
    job = stage.enqueue()
    stage.deliver(build)
    by_name = {a.action["name"]: a.approval_id for a in pending(stage) if a.action}
    stage.client.decide_approval(by_name["mail"], "edit", edited_action={"args": {"to": "Ann"}})
    stage.client.decide_approval(by_name["call"], "reject", reason="late")
    assert stage.status(job) == "AWAITING_HUMAN"
    stage.client.decide_approval(by_name["pay"], "approve")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert json.loads(stage.state(build).values["log"][-1]) == {
        "decisions": [
            {"type": "approve"},
            {"type": "edit", "edited_action": {"name": "mail", "args": {"to": "Ann"}}},
            {"type": "reject", "message": "late"},
        ]
    }


def test_an_answer_that_the_node_could_not_take_is_refused(stage: Stage) -> None:
    def node(state: State) -> Any:
        answer: int = interrupt("how many?", response_schema=int)
        return {"log": [f"{answer + 1}"]}

    build = one_node(node)
    job = stage.enqueue(max_attempts=1)
    stage.deliver(build)
    with pytest.raises(BadArgument, match="the answer must be integer"):
        stage.client.decide_approval(the_approval(stage), "respond", response="three")
    stage.client.decide_approval(the_approval(stage), "respond", response=3)
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(build).values["log"] == ["in", "4"]


# --- once


def test_of_twenty_who_decide_at_once_one_does_and_all_hear_of_it(
    stage: Stage, worker_dsn: str
) -> None:
    build = paying(stage, 10)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    approval = the_approval(stage)
    together = threading.Barrier(20)
    outcomes: list[tuple[str, str]] = []

    def decide(number: int) -> None:
        decision = "approve" if number % 2 else "reject"
        with Client(worker_dsn, min_size=1, max_size=1) as client:
            client.version()
            together.wait()
            try:
                recorded = client.decide_approval(
                    approval,
                    decision,  # type: ignore[arg-type]
                    decided_by=f"p{number}",
                )
                outcomes.append((decision, recorded.decided_by))
            except IllegalTransition as refused:
                outcomes.append((decision, refused.detail.split("by: ")[1].split(",")[0]))

    deciders = [threading.Thread(target=decide, args=(number,)) for number in range(20)]
    for decider in deciders:
        decider.start()
    for decider in deciders:
        decider.join()
    assert len(outcomes) == 20
    assert len({winner for _, winner in outcomes}) == 1
    kept = stage.client.get_approval(approval)
    assert kept is not None
    assert kept.decided_by == outcomes[0][1]
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert stage.deliveries(job) == [(1, "paused"), (1, "completed")]
    assert paid(stage) == ([10] if kept.status == "APPROVED" else [])
    kinds = stage.conn.execute("select kind from pgagent.session_events").fetchall()
    assert kinds.count(("approval_decided",)) == 1
    assert kinds.count(("job_resumed",)) == 1


def test_a_decision_whose_answer_was_lost_is_sent_again_by_the_client(stage: Stage) -> None:
    build = paying(stage, 10)
    stage.enqueue(payload=INPUT)
    stage.deliver(build)
    approval = the_approval(stage)
    first = stage.client.decide_approval(approval, "approve", decided_by="ann")
    again = stage.client.decide_approval(approval, "approve", decided_by="ann")
    assert again == first
    with pytest.raises(IllegalTransition) as refused:
        stage.client.decide_approval(approval, "reject")
    assert "status: APPROVED, by: ann" in refused.value.detail


# --- deaths, and time


def plans_and_asks(stage: Stage, saver: Saver) -> Graph:
    """Pays 1 before it asks, and 10 when it was told so."""

    @durable_tool
    def pay(amount: int, *, idempotency_key: str) -> str:
        stage.journal.note("paid", amount=amount, key=idempotency_key)
        return f"paid {amount}"

    def plan(state: State) -> Any:
        stage.journal.ran("plan")
        return {"log": ["plan"]}

    def ask(state: State) -> Any:
        stage.journal.ran("ask")
        before = pay(1)
        answer = interrupt("go on?")
        return {"log": [before, f"answer {answer}", pay(10)]}

    graph = StateGraph(State).add_node("plan", plan).add_node("ask", ask)
    return graph.add_edge(START, "plan").add_edge("plan", "ask").compile(saver)


class Dying(Worker):
    """Dies when it is about to say what a delivery came to, or when it has said it."""

    moment = "before"

    def _tell(self, *verdicts: Any) -> Rule[None]:
        if self.moment == "before":
            die()
        yield from super()._tell(*verdicts)
        die()


def die_telling(stage: Stage, build: Build, moment: str) -> None:
    def work() -> None:
        with PgAgentSaver(stage.dsn, max_size=4) as saver:
            worker = Dying(build(stage, saver))
            worker.moment = moment
            worker.run(once=True)

    assert in_process(work) == DIED


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_dies_at_the_pause_is_repaired_at_the_next_claim(
    stage: Stage, moment: str
) -> None:
    job = stage.enqueue()
    die_telling(stage, plans_and_asks, moment)
    assert stage.status(job) == ("IN_PROGRESS" if moment == "before" else "AWAITING_HUMAN")
    assert len(pending(stage)) == (0 if moment == "before" else 1)
    stage.let_leases_run_out()
    stage.deliver(plans_and_asks)
    assert stage.status(job) == "AWAITING_HUMAN"
    assert stage.journal.nodes() == ["plan", "ask"], "it paused again without running"
    stage.client.decide_approval(the_approval(stage), "respond", response="yes")
    stage.deliver(plans_and_asks)
    assert stage.status(job) == "COMPLETED"
    assert stage.state(plans_and_asks).values["log"] == [
        "in", "plan", "paid 1", "answer yes", "paid 10"
    ]  # fmt: skip
    assert paid(stage) == [1, 10]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_no_question_of_a_call_is_lost_with_the_worker_that_asked(
    stage: Stage, moment: str, shape: str
) -> None:
    build = paying(stage, 10, 9999, shape=shape)
    job = stage.enqueue(payload=INPUT)
    die_telling(stage, build, moment)
    stage.let_leases_run_out()
    stage.deliver(build)
    assert sorted(map(amount_of, pending(stage))) == [10, 9999]
    for approval in pending(stage):
        small = amount_of(approval) == 10
        stage.client.decide_approval(approval.approval_id, "approve" if small else "reject")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_dies_with_the_answer_does_not_pay_again(stage: Stage, moment: str) -> None:
    build = paying(stage, 10)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    stage.client.decide_approval(the_approval(stage), "approve")
    die_telling(stage, build, moment)
    stage.let_leases_run_out()
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10]
    assert pending(stage) == []


def test_three_days_and_a_kill_at_the_same_place_end_alike(stage: Stage) -> None:
    def effects(thread_id: str) -> list[Any]:
        return stage.conn.execute(
            "select tool, args, status, attempts from pgagent.tool_calls"
            " where thread_id = %s order by created_at",
            (thread_id,),
        ).fetchall()

    paused = stage.enqueue("paused")
    stage.deliver(plans_and_asks)
    stage.clock.advance(timedelta(days=3))
    stage.client.decide_approval(the_approval(stage), "respond", response="yes")
    stage.deliver(plans_and_asks)

    killed = stage.enqueue("killed")
    die_telling(stage, plans_and_asks, "before")
    stage.let_leases_run_out()
    stage.deliver(plans_and_asks)
    stage.client.decide_approval(the_approval(stage), "respond", response="yes")
    stage.deliver(plans_and_asks)

    assert (stage.status(paused), stage.status(killed)) == ("COMPLETED", "COMPLETED")
    assert (
        stage.state(plans_and_asks, "paused").values == stage.state(plans_and_asks, "killed").values
    )
    assert effects("paused") == effects("killed")
    assert paid(stage) == [1, 1, 10, 10]


def test_months_later_another_worker_goes_on(stage: Stage) -> None:
    build = paying(stage, 10)
    job = stage.enqueue(payload=INPUT)
    with stage.worker(build, once=False) as asking:
        until(lambda: stage.status(job) == "AWAITING_HUMAN")
        asking.send(signal.SIGKILL)
    for _ in range(10):
        stage.clock.advance(MONTHS / 10)
        assert stage.client.reap_expired() == 0
        assert stage.client.claim_job("other") is None
    recorded = stage.client.decide_approval(the_approval(stage), "approve")
    stage.deliver(build)
    assert stage.status(job) == "COMPLETED"
    assert paid(stage) == [10]
    approval = stage.client.get_approval(
        stage.conn.execute("select approval_id from pgagent.approvals").fetchone()[0]  # type: ignore[index]
    )
    assert approval is not None
    assert approval.asked_at is not None
    assert recorded.decided_at - approval.asked_at > MONTHS


def test_what_nobody_decides_in_time_ends_the_run_and_frees_the_thread(stage: Stage) -> None:
    build = paying(stage, 10)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build, approval_timeout=3600)
    behind = stage.enqueue(payload={"messages": ["Pay again."]})
    stage.clock.advance(3601)
    with pytest.raises(IllegalTransition, match="the deadline has passed"):
        stage.client.decide_approval(the_approval(stage), "approve")
    stage.deliver(build, approval_timeout=3600)
    assert stage.status(job) == "TIMED_OUT"
    assert stage.job(job).error["type"] == "approval_timed_out"
    assert stage.status(behind) == "AWAITING_HUMAN"
    assert paid(stage) == []
    (status,) = stage.conn.execute(
        "select status from pgagent.approvals where job_id = %s", (job,)
    ).fetchone() or (None,)
    assert status == "TIMED_OUT"


# --- the thread goes on


def test_after_an_edit_of_the_state_the_old_question_is_void_and_a_new_one_is_asked(
    stage: Stage,
) -> None:
    job = stage.enqueue()
    stage.deliver(plans_and_asks)
    approval = the_approval(stage)
    graph = plans_and_asks(stage, PgAgentSaver(stage.conn))
    graph.update_state(thread(), {"note": ["edited"]})
    with pytest.raises(HeadMoved):
        stage.client.decide_approval(approval, "approve")
    assert [a.superseded for a in pending(stage)] == [True]
    assert stage.client.resume_job(job, {}).status == "PENDING"
    stage.deliver(plans_and_asks)
    assert the_approval(stage) != approval
    with pytest.raises(HeadMoved):
        stage.client.decide_approval(approval, "approve")
    stage.client.decide_approval(the_approval(stage), "approve")
    stage.deliver(plans_and_asks)
    assert stage.status(job) == "COMPLETED"
    assert "answer True" in stage.state(plans_and_asks).values["log"]


def test_a_cancelled_run_leaves_no_question(stage: Stage) -> None:
    build = paying(stage, 10, 9999)
    job = stage.enqueue(payload=INPUT)
    stage.deliver(build)
    first, second = (approval.approval_id for approval in pending(stage))
    stage.client.decide_approval(first, "approve")
    stage.client.cancel_job(job)
    assert pending(stage) == []
    with pytest.raises(IllegalTransition, match="CANCELLED"):
        stage.client.decide_approval(second, "approve")
    stage.deliver(build)
    assert paid(stage) == []


# --- without a worker


def test_a_run_without_a_worker_asks_and_looks_its_decision_up(stage: Stage) -> None:
    build = paying(stage, 10, 9999)
    graph = build(stage, PgAgentSaver(stage.conn))
    graph.invoke(INPUT, thread())
    small, large = sorted(pending(stage), key=amount_of)
    stage.client.decide_approval(large.approval_id, "reject")
    stage.client.decide_approval(small.approval_id, "approve")
    graph.invoke(Command(resume="whatever"), thread())
    assert paid(stage) == [10]
    assert [status for status, _ in told(stage, build)] == ["success", "error"]


def test_a_run_without_a_worker_may_ask_before_its_thread_is_stored(stage: Stage) -> None:
    class Slow(PgAgentSaver):
        def put(self, *args: Any) -> Any:
            time.sleep(0.3)
            return super().put(*args)

    @durable_tool(ask=True)
    def pay(amount: int) -> str:
        stage.journal.note("paid", amount=amount)
        return f"paid {amount}"

    @durable_tool
    def greet(name: str) -> str:
        return f"hello {name}"

    def node(state: State) -> Any:
        return {"log": [greet("Bob"), pay(10)]}

    with Slow(stage.dsn, max_size=4) as saver:
        graph = one_node(node)(stage, saver)
        graph.invoke({"log": []}, thread(), durability="async")
        stage.client.decide_approval(the_approval(stage), "approve")
        graph.invoke(Command(resume=True), thread())
    assert paid(stage) == [10]


async def test_async_tools_that_ask_at_once_each_get_their_own_decision(
    stage: Stage, worker_dsn: str
) -> None:
    @tool
    async def pay(amount: int, call_id: Annotated[str, InjectedToolCallId]) -> str:
        """Pay an amount."""
        await asyncio.sleep(amount / 1e5)
        decision = await arequest_approval("pay", {"amount": amount}, tool_call_id=call_id)
        return f"{amount}: {decision.type}"

    async with AsyncPgAgentSaver.from_conn_string(worker_dsn) as saver:
        graph = agent(
            saver,  # type: ignore[arg-type]
            asking_for(("pay", {"amount": 10}), ("pay", {"amount": 9999})),
            pay,
        )
        state = await graph.ainvoke(INPUT, thread())
        for _ in range(3):  # those that ask later are asked about later
            for approval in await saver.client.pending_approvals():
                small = amount_of(approval) == 10
                await saver.client.decide_approval(
                    approval.approval_id, "approve" if small else "reject"
                )
            state = await graph.ainvoke(Command(resume="whatever"), thread())
    answers = [m.content for m in state["messages"] if isinstance(m, ToolMessage)]
    assert answers == ["10: approve", "9999: reject"]


def test_a_request_outside_a_graph_with_our_saver_says_so(stage: Stage) -> None:
    def node(state: State) -> Any:
        request_approval("pay", {})
        return {"log": []}

    graph = StateGraph(State).add_node("ask", node).add_edge(START, "ask").compile()
    with pytest.raises(TypeError, match="request_approval needs a graph whose checkpointer"):
        graph.invoke({"log": [], "note": []})
