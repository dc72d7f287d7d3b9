"""What a worker does with a job, and what it makes of the result. Two rules, one function each,
for sync and async workers alike (see :mod:`pgagent.driving`).

A job may be new, or somebody may have died in the middle of it, at any point. :func:`deliver` reads
where the thread stands and goes on from there; :func:`judge` reads it again afterwards, because
what was stored counts, not what ``invoke`` said.

Both look at ``state.tasks`` and never at ``state.next``: when every task of a step has stored its
writes and the next checkpoint was never stored, ``next`` is empty although the run is not over.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.constants import END
from langgraph.errors import EmptyInputError, GraphDrained
from langgraph.pregel import Pregel
from langgraph.runtime import RunControl
from langgraph.types import Command, PregelTask, StateSnapshot, StreamMode

from pgagent import calls
from pgagent.calls import Call, Job
from pgagent.driving import Do, Rule, doing
from pgagent.errors import StaleToken, ThreadGone
from pgagent.fence import LEFTOVERS_KEY, TOKEN_KEY, RunToken, holding
from pgagent.open_calls import open_in, scribe, with_answers
from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.saver.head import Head, knowing
from pgagent.saver.sync import PgAgentSaver

log = logging.getLogger("pgagent.worker")

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


class Control(RunControl):
    """Stops a run between two steps (``request_drain``), or where it awaits (``cancel``)."""

    __slots__ = ("_cancelled", "_task")

    def __init__(self) -> None:
        super().__init__()
        self._task: asyncio.Future[Any] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Ends the graph of an async run where it awaits. On its loop."""
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    async def until_cancelled(self, work: Coroutine[Any, Any, None]) -> None:
        """Awaits a graph.

        Raises:
            GraphDrained: it was cancelled.
            RuntimeError: it cancelled itself.
        """
        if self._cancelled:
            work.close()
            raise GraphDrained(self.drain_reason or "cancelled")
        self._task = asyncio.ensure_future(work)
        try:
            await self._task
        except asyncio.CancelledError as cancelled:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            if self._cancelled:
                raise GraphDrained(self.drain_reason or "cancelled") from None
            raise RuntimeError("the run cancelled itself") from cancelled
        finally:
            self._task = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery of a job: the graph to run, and how.

    With ``stream_mode`` the graph is streamed, and ``on_chunk`` is called with the job, the mode
    and each chunk.
    """

    graph: Pregel[Any, Any, Any, Any]
    saver: PgAgentSaver | AsyncPgAgentSaver
    job: Job
    control: Control = field(default_factory=Control)
    callbacks: tuple[Any, ...] = ()
    on_leftovers: Leftovers = "keep"
    to_input: Callable[[Any], Any] = lambda payload: payload
    stream_mode: Sequence[StreamMode] = ()
    on_chunk: Callable[[Job, str, Any], Any] | None = None

    @property
    def thread(self) -> RunnableConfig:
        """Names the thread, for reads."""
        return {"configurable": {"thread_id": self.job.thread_id}}

    @property
    def config(self) -> RunnableConfig:
        """The config of the run: the job's own, with the thread, its token, its trace, and
        strict."""
        own = cast(RunnableConfig, self.job.config)
        trace = {"trace_id": self.job.trace_id, "traceparent": self.job.traceparent}
        told = {name: value for name, value in trace.items() if value is not None}
        return {
            **own,
            "metadata": {**told, **own.get("metadata", {})},
            "configurable": {
                **own.get("configurable", {}),
                "thread_id": self.job.thread_id,
                TOKEN_KEY: RunToken(self.job.fencing_token, self.job.thread_id),
                "__pregel_strict_resume": True,
            },
            "callbacks": list(self.callbacks),
        }

    def send(self, call: Call[Any]) -> Do:
        """Sends a call to the server."""
        return doing(self.saver.client.run, call)

    def get_state(self, config: RunnableConfig) -> Do:
        """What the graph makes of a checkpoint."""
        graph = self.graph
        return Do(partial(graph.get_state, config), partial(graph.aget_state, config))

    def update_state(self, values: Any, as_node: str) -> Do:
        """Edits the state in the name of a node."""
        args = (self.config, values, as_node)
        graph = self.graph
        return Do(partial(graph.update_state, *args), partial(graph.aupdate_state, *args))

    def invoke(
        self, input: Any, *, head: Head | None = None, leftovers: bool = False
    ) -> Rule[None]:
        """Runs the graph. Sync durability, passed outright, or subgraphs would not inherit it: with
        any other, a run that lost its thread would go on to its end before it noticed.

        ``head``: the newest checkpoint, when it was read just now.
        """
        config = self.config
        config["configurable"][LEFTOVERS_KEY] = leftovers
        with holding(self.job.thread_id, self.job.fencing_token), knowing(head):
            yield Do(
                partial(self._run, input, config),
                lambda: self.control.until_cancelled(self._arun(input, config)),
            )

    def _run(self, input: Any, config: RunnableConfig) -> None:
        options: dict[str, Any] = {"durability": "sync", "control": self.control}
        if self.on_chunk is None:
            self.graph.invoke(input, config, **options)
            return
        modes = list(self.stream_mode)
        for mode, chunk in self.graph.stream(input, config, stream_mode=modes, **options):
            try:
                self.on_chunk(self.job, mode, chunk)
            except Exception:
                log.exception("on_chunk raised: the run goes on")

    async def _arun(self, input: Any, config: RunnableConfig) -> None:
        options: dict[str, Any] = {"durability": "sync", "control": self.control}
        if self.on_chunk is None:
            await self.graph.ainvoke(input, config, **options)
            return
        modes = list(self.stream_mode)
        async for mode, chunk in self.graph.astream(input, config, stream_mode=modes, **options):
            try:
                said = self.on_chunk(self.job, mode, chunk)
                if inspect.isawaitable(said):
                    await said
            except Exception:
                log.exception("on_chunk raised: the run goes on")

    def forget_failures(self) -> Rule[bool]:
        """Forgets what failed tasks have stored; whether there was anything."""
        job = self.job
        forgotten = yield self.send(calls.discard_partial_outputs(job.thread_id, job.fencing_token))
        return bool(forgotten > 0)

    def clear_leftovers(self) -> Rule[None]:
        """Does with an earlier run's unfinished tasks what ``on_leftovers`` says."""
        if self.on_leftovers == "finish":
            yield from self.forget_failures()
            yield from self.invoke(None, leftovers=True)
        if self.on_leftovers != "drop":
            with holding(self.job.thread_id, self.job.fencing_token):
                yield self.update_state(None, END)

    def answer_open_calls(self, values: Any, payload: Any) -> Rule[tuple[Any, bool]]:
        """The payload, with answers to tool calls that an earlier run left open. Where the input
        cannot carry them, the state is edited before; whether it was."""
        missing = open_in(self.graph, values)
        if not missing:
            return payload, False
        payload, rest = with_answers(self.graph, payload, missing)
        name = scribe(self.graph)
        if not rest or name is None:
            return payload, False
        with holding(self.job.thread_id, self.job.fencing_token):
            yield self.update_state(rest, name)
            yield self.update_state(None, END)
        return payload, True


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thread stands."""

    thread_id: str
    state: StateSnapshot
    head: CheckpointTuple | None
    breakpoint: dict[str, Any]

    @property
    def known(self) -> Head | None:
        """The newest checkpoint, for a run that begins with it. Not with writes upon it: the state
        has them, and shares its values."""
        if self.head is not None and self.head.pending_writes:
            return None
        return Head(self.thread_id, self.head)

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


def read(delivery: Delivery) -> Rule[Position]:
    """Reads where the thread of a delivery stands; the server is asked once."""
    saver, thread_id = delivery.saver, delivery.job.thread_id
    newest: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    head = yield Do(partial(saver.get_tuple, newest), partial(saver.aget_tuple, newest))
    with knowing(Head(thread_id, head)):
        state = yield delivery.get_state(delivery.thread)
    stops = (yield from _breakpoint(delivery, state, head)) if state.tasks else {}
    return Position(thread_id, state, head, stops)


def deliver(delivery: Delivery) -> Rule[Outcome]:
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
    position = yield from read(delivery)
    try:
        if job.started_checkpoint_id is None:
            if position.state.tasks:
                yield from delivery.clear_leftovers()
                position = yield from read(delivery)
            payload = delivery.to_input(job.payload)
            if payload is None:  # to LangGraph: go on with what is there
                raise EmptyInputError("the payload of the job is no input")
            values = position.state.values
            payload, edited = yield from delivery.answer_open_calls(values, payload)
            yield from delivery.invoke(payload, head=None if edited else position.known)
        elif position.state.tasks:
            if (yield from delivery.forget_failures()):
                position = yield from read(delivery)
            pause = position.pause(job.resume)
            if pause is not None:
                return pause
            pending = position.questions.keys() & job.resume.keys()
            answers = {key: job.resume[key] for key in pending}
            yield from delivery.invoke(Command(resume=answers) if answers else None)
    except (*FENCE_ERRORS, GraphDrained):
        raise
    except ERRORS as error:  # whatever a node raises is judged by what is stored
        return (yield from judge(delivery, error))
    return (yield from judge(delivery, None))


def judge(delivery: Delivery, error: BaseException | None) -> Rule[Outcome]:
    """What a delivery came to, by what is stored: ``invoke`` may raise although every checkpoint
    landed, and returns as if all were well at a breakpoint."""
    position = yield from read(delivery)
    if error is not None and not (yield from _has_begun(delivery)):
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


def _has_begun(delivery: Delivery) -> Rule[bool]:
    """Whether the run has stored a root checkpoint of its own, in this delivery or before."""
    job = delivery.job
    if job.started_checkpoint_id is None:
        now = yield delivery.send(calls.get_job(job.job_id))
        return now is not None and now.started_checkpoint_id is not None
    return True


def _breakpoint(
    delivery: Delivery, state: StateSnapshot, head: CheckpointTuple | None
) -> Rule[dict[str, Any]]:
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
        parent = yield delivery.get_state(state.parent_config)
        after = _named(parent.tasks, graph.interrupt_after_nodes)
        if after:
            stops["after"] = after
    return {f"breakpoint:{head.checkpoint['id']}": stops} if stops else {}


def _named(tasks: tuple[PregelTask, ...], nodes: Any) -> list[str]:
    names = [task.name for task in tasks]
    return [n for n in names if (not n.startswith("__") if nodes == "*" else n in nodes)]
