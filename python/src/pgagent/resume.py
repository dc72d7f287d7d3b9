"""What a worker does with a job, and what it makes of the result. Two rules, one function each.

A job may be new, or somebody may have died in the middle of it, at any point. :func:`deliver` reads
where the thread stands and goes on from there; :func:`judge` reads it again afterwards, because
what was stored counts, not what ``invoke`` said.

Both look at ``state.tasks`` and never at ``state.next``: when every task of a step has stored its
writes and the next checkpoint was never stored, ``next`` is empty although the run is not over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.constants import END
from langgraph.errors import EmptyInputError, GraphDrained
from langgraph.pregel import Pregel
from langgraph.runtime import RunControl
from langgraph.types import Command, PregelTask, StateSnapshot

from pgagent.calls import Job
from pgagent.errors import StaleToken, ThreadGone
from pgagent.fence import LEFTOVERS_KEY, TOKEN_KEY, RunToken, holding
from pgagent.open_calls import open_in, scribe, with_answers
from pgagent.saver.sync import PgAgentSaver

Leftovers = Literal["keep", "finish", "drop"]
"""What becomes of tasks that an earlier, ended run of the thread left unfinished.

``keep``: their stored results are kept, the rest is cleared. ``finish``: they are run to their end
first. ``drop``: the new input discards them, and stored results of their finished siblings too.
"""

FENCE_ERRORS = (StaleToken, ThreadGone)
"""The run lost its thread: whatever it would write is refused.

NotFound is not among them: a node may have looked for something else.
"""

ERRORS = (Exception, SystemExit)
"""What code of the user's may raise without meaning the worker: ``sys.exit()`` in a node fails the
job as any error does. Not KeyboardInterrupt."""

_CONTROL_CHANNELS = {"__error__", "__error_source_node__", "__interrupt__", "__resume__"}


@dataclass(frozen=True, slots=True)
class Complete:
    """The run is over; ``values`` is the state it ended in."""

    values: Any


@dataclass(frozen=True, slots=True)
class Pause:
    """The run waits for people: ``questions`` by interrupt id, and JSON Schemas of the answers to
    those that have one."""

    questions: dict[str, Any]
    schemas: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """The run stopped short of its end; ``error`` is what it raised, if anything."""

    error: BaseException | None


Outcome = Complete | Pause | Failed


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery of a job: the graph to run, and how."""

    graph: Pregel[Any, Any, Any, Any]
    saver: PgAgentSaver
    job: Job
    control: RunControl = field(default_factory=RunControl)
    callbacks: tuple[Any, ...] = ()
    on_leftovers: Leftovers = "keep"
    to_input: Callable[[Any], Any] = lambda payload: payload

    @property
    def thread(self) -> RunnableConfig:
        """Names the thread, for reads."""
        return {"configurable": {"thread_id": self.job.thread_id}}

    @property
    def config(self) -> RunnableConfig:
        """The config of the run: the job's own, with the thread, its token, and strict."""
        own = cast(RunnableConfig, self.job.config)
        return {
            **own,
            "configurable": {
                **own.get("configurable", {}),
                "thread_id": self.job.thread_id,
                TOKEN_KEY: RunToken(self.job.fencing_token, self.job.thread_id),
                "__pregel_strict_resume": True,
            },
            "callbacks": list(self.callbacks),
        }

    def invoke(self, input: Any, *, leftovers: bool = False) -> None:
        """Runs the graph. Sync durability, passed outright, or subgraphs would not inherit it: with
        any other, a run that lost its thread would go on to its end before it noticed."""
        config = self.config
        config["configurable"][LEFTOVERS_KEY] = leftovers
        with holding(self.job.thread_id, self.job.fencing_token):
            self.graph.invoke(input, config, durability="sync", control=self.control)

    def forget_failures(self) -> bool:
        """Forgets what failed tasks have stored; whether there was anything."""
        job = self.job
        forgotten = self.saver.client.discard_partial_outputs(job.thread_id, job.fencing_token)
        return forgotten > 0

    def clear_leftovers(self) -> None:
        """Does with an earlier run's unfinished tasks what ``on_leftovers`` says."""
        if self.on_leftovers == "finish":
            self.forget_failures()
            self.invoke(None, leftovers=True)
        if self.on_leftovers != "drop":
            with holding(self.job.thread_id, self.job.fencing_token):
                self.graph.update_state(self.config, None, as_node=END)

    def answer_open_calls(self, values: Any, payload: Any) -> Any:
        """The payload, with answers to tool calls that an earlier run left open. Where the input
        cannot carry them, the state is edited before."""
        missing = open_in(self.graph, values)
        if not missing:
            return payload
        payload, rest = with_answers(self.graph, payload, missing)
        name = scribe(self.graph)
        if rest and name is not None:
            with holding(self.job.thread_id, self.job.fencing_token):
                self.graph.update_state(self.config, rest, as_node=name)
                self.graph.update_state(self.config, None, as_node=END)
        return payload


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thread stands."""

    state: StateSnapshot
    head: CheckpointTuple | None
    breakpoint: dict[str, Any]

    @property
    def unfinished(self) -> list[PregelTask]:
        """Tasks of the current step without stored output."""
        writes = (self.head and self.head.pending_writes) or []
        finished = {task for task, channel, _ in writes if channel not in _CONTROL_CHANNELS}
        return [task for task in self.state.tasks if task.id not in finished]

    @property
    def questions(self) -> dict[str, Any]:
        """What unfinished tasks ask, by interrupt id."""
        return {i.id: i.value for task in self.unfinished for i in task.interrupts}

    @property
    def schemas(self) -> dict[str, Any]:
        """What their answers must look like, of those that say so."""
        asked = [interrupt for task in self.unfinished for interrupt in task.interrupts]
        # Not in every version that we support.
        schemas = {i.id: getattr(i, "response_schema", None) for i in asked}
        return {key: schema for key, schema in schemas.items() if schema is not None}

    def pause(self, answers: Mapping[str, Any]) -> Pause | None:
        """The pause the thread is in, given the answers so far: all that could run asks people."""
        open_breakpoint = {k: v for k, v in self.breakpoint.items() if k not in answers}
        if open_breakpoint:
            return Pause(open_breakpoint)
        asked = self.questions
        waiting = asked and all(task.interrupts for task in self.unfinished)
        if waiting and not asked.keys() & answers.keys():
            return Pause(asked, self.schemas)
        return None


def read(delivery: Delivery) -> Position:
    """Reads where the thread of a delivery stands."""
    state = delivery.graph.get_state(delivery.thread)
    head = delivery.saver.get_tuple(
        {"configurable": {"thread_id": delivery.job.thread_id, "checkpoint_ns": ""}}
    )
    return Position(state, head, _breakpoint(delivery, state, head) if state.tasks else {})


def deliver(delivery: Delivery) -> Outcome:
    """Takes a job from where it stands to its end, to a pause, or to a failure.

    1. The run has not begun (no root checkpoint of its own): clear what an earlier run left, then
       begin with the payload, and with answers to tool calls that were left open.
    2. It has, and no task is left: it is complete.
    3. It has, and tasks are left: what failed tasks have stored is forgotten; when all that could
       run waits for people who have not answered, pause again without running; else go on, with
       the answers that are still pending. Answers go by interrupt id, strictly: a bare answer would
       be given to the next question as well.

    Raises:
        StaleToken, ThreadGone: the run lost its thread. Nothing more of it is stored.
        GraphDrained: it was asked to stop, and did, between two steps.
    """
    job = delivery.job
    position = read(delivery)
    try:
        if job.started_checkpoint_id is None:
            if position.state.tasks:
                delivery.clear_leftovers()
                position = read(delivery)
            payload = delivery.to_input(job.payload)
            if payload is None:  # to LangGraph: go on with what is there
                raise EmptyInputError("the payload of the job is no input")
            delivery.invoke(delivery.answer_open_calls(position.state.values, payload))
        elif position.state.tasks:
            if delivery.forget_failures():
                position = read(delivery)
            pause = position.pause(job.resume)
            if pause is not None:
                return pause
            pending = position.questions.keys() & job.resume.keys()
            answers = {key: job.resume[key] for key in pending}
            delivery.invoke(Command(resume=answers) if answers else None)
    except (*FENCE_ERRORS, GraphDrained):
        raise
    except ERRORS as error:  # whatever a node raises is judged by what is stored
        return judge(delivery, error)
    return judge(delivery, None)


def judge(delivery: Delivery, error: BaseException | None) -> Outcome:
    """What a delivery came to, by what is stored: ``invoke`` may raise although every checkpoint
    landed, and returns as if all were well at a breakpoint."""
    position = read(delivery)
    if error is not None and not _has_begun(delivery):
        return Failed(error)
    if not position.state.tasks:
        return Complete(position.state.values)
    if error is None:
        # What was answered is taken by now; what is still asked is asked anew.
        taken = {key: True for key in delivery.job.resume if key not in position.questions}
        pause = position.pause(taken)
        if pause is not None:
            return pause
    return Failed(error)


def _has_begun(delivery: Delivery) -> bool:
    """Whether the run has stored a root checkpoint of its own, in this delivery or before."""
    job = delivery.job
    if job.started_checkpoint_id is None:
        now = delivery.saver.client.get_job(job.job_id)
        return now is not None and now.started_checkpoint_id is not None
    return True


def _breakpoint(
    delivery: Delivery, state: StateSnapshot, head: CheckpointTuple | None
) -> dict[str, Any]:
    """The static breakpoint a thread stands at, as a question; empty when it does not.

    LangGraph returns from a breakpoint as from a finished run. It stops there when a channel has
    moved since the last stop and a task of the step, or of the step before, is named.
    """
    graph = delivery.graph
    if head is None or not (graph.interrupt_before_nodes or graph.interrupt_after_nodes):
        return {}
    seen: dict[str, Any] = head.checkpoint["versions_seen"].get("__interrupt__", {})
    versions: dict[str, Any] = head.checkpoint["channel_versions"]
    if not any(channel not in seen or versions[channel] > seen[channel] for channel in versions):
        return {}
    stops: dict[str, list[str]] = {}
    before = _named(state.tasks, graph.interrupt_before_nodes)
    if before:
        stops["before"] = before
    if graph.interrupt_after_nodes and state.parent_config is not None:
        after = _named(graph.get_state(state.parent_config).tasks, graph.interrupt_after_nodes)
        if after:
            stops["after"] = after
    return {f"breakpoint:{head.checkpoint['id']}": stops} if stops else {}


def _named(tasks: tuple[PregelTask, ...], nodes: Any) -> list[str]:
    names = [task.name for task in tasks]
    return [n for n in names if (not n.startswith("__") if nodes == "*" else n in nodes)]
