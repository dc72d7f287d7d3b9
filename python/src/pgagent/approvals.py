"""People in the loop: a tool call that waits for a decision.

``interrupt()`` alone is enough to ask a question: under a worker it becomes an approval, and
``decide_approval`` or ``resume_job`` gives its answer. About a *tool call* ask with
:func:`request_approval`, or ``durable_tool(ask=True)``: the decision is looked up by the key of the
call. What ``interrupt()`` returns is not looked at, because two calls of one ToolNode task that ask
at once may be given each other's answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_function
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt
from pydantic import TypeAdapter

from pgagent import calls
from pgagent.calls import Asked, Call, Verdict
from pgagent.errors import BaseMissing, NotFound, PgAgentError
from pgagent.fence import ending_lost_runs
from pgagent.jsonable import jsonable
from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.saver.sync import PgAgentSaver
from pgagent.tools import CHECKPOINT_WAIT, NO_SAVER, Place, not_yet_stored

ALL: tuple[Verdict, ...] = ("approve", "edit", "reject", "respond")


class NotApproved(PgAgentError):
    """A call that waited for a decision was rejected, or nobody decided in time.

    Raised where a durable tool is called in a node; in ToolNode the model is told instead.
    ``decision`` says who and why.
    """

    sqlstate = "PA005"

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.told_to_the_model())
        self.decision = decision


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a call.

    ``args``: the arguments to call with, as proposed or as edited. ``message``: why it was
    rejected, or what is said in place of the call.
    """

    type: Literal["approve", "edit", "reject", "respond", "timed_out"]
    tool: str
    args: dict[str, Any]
    message: str | None
    decided_by: str | None
    approval_id: Any

    @property
    def approved(self) -> bool:
        """Whether the call may be made: as proposed, or with edited ``args``."""
        return self.type in ("approve", "edit")

    def told_to_the_model(self) -> str:
        """One sentence for a tool message."""
        match self.type:
            case "approve":
                return f"The call of {self.tool} was approved."
            case "edit":
                return (
                    f"A person changed the arguments of {self.tool} to {json.dumps(self.args)} "
                    "and approved the call."
                )
            case "reject":
                why = f" Why: {self.message}" if self.message else ""
                return f"A person rejected the call of {self.tool}. It was not made.{why}"
            case "timed_out":
                return f"Nobody approved the call of {self.tool} in time. It was not made."
        return str(self.message)


@dataclass(frozen=True, slots=True)
class Ask:
    """How a tool asks before it is called.

    Args:
        allowed: which decisions are possible.
        timeout: seconds people have, from the pause; then the run ends as TIMED_OUT.
        description: what they should know: text, or a function of the arguments.
        when: whether a call needs a decision, by its arguments; all do by default. It must say the
            same when the task runs again.
    """

    allowed: Sequence[Verdict] = ALL
    timeout: float | timedelta | None = None
    description: str | Callable[[dict[str, Any]], str] | None = None
    when: Callable[[dict[str, Any]], bool] | None = None

    def described(self, args: dict[str, Any]) -> str | None:
        """What people are told about a call with these arguments."""
        return self.description(args) if callable(self.description) else self.description


def request_approval(
    tool: str,
    args: Mapping[str, Any],
    *,
    description: str | None = None,
    allowed: Sequence[Verdict] = ALL,
    args_schema: Mapping[str, Any] | None = None,
    timeout: float | timedelta | None = None,
    tool_call_id: str | None = None,
    key: str | None = None,
) -> Decision:
    """Asks for a decision about a call, in a node or a tool, and returns it.

    The first time it pauses the run, by ``interrupt()``; the node or tool runs again from its start
    when the call is decided. Effects before it belong behind :func:`~pgagent.durable_tool`.

    Args:
        tool: name of the tool, which an edit cannot change.
        args: the arguments, as JSON.
        description: what the person should know.
        allowed: which decisions are possible.
        args_schema: JSON Schema of ``args``: the server refuses edits that do not fit.
        timeout: seconds people have, from the pause.
        tool_call_id: the model's id of the call, in a tool that ToolNode runs. Without it and
            ``key`` the calls of a task are counted: not from several threads.
        key: identifies the call within its task.

    Raises:
        IdempotencyConflict: another call was asked about under this key.
    """
    place = _place(tool, tool_call_id, key)
    if not isinstance(place.saver, PgAgentSaver):
        raise TypeError(NO_SAVER.format("request_approval", "PgAgentSaver"))
    call = _request(place, tool, args, description, allowed, args_schema, timeout)
    while True:
        with ending_lost_runs():
            asked = _wait(lambda: place.saver.client.run(call), place.token)
        decision = _decision(asked, tool)
        if decision is not None:
            return decision
        interrupt(asked.question)  # raises; or returns what somebody else was answered


async def arequest_approval(
    tool: str,
    args: Mapping[str, Any],
    *,
    description: str | None = None,
    allowed: Sequence[Verdict] = ALL,
    args_schema: Mapping[str, Any] | None = None,
    timeout: float | timedelta | None = None,  # noqa: ASYNC109 - of the question, not of the call
    tool_call_id: str | None = None,
    key: str | None = None,
) -> Decision:
    """:func:`request_approval` for async nodes and tools, with an ``AsyncPgAgentSaver``."""
    place = _place(tool, tool_call_id, key)
    if not isinstance(place.saver, AsyncPgAgentSaver):
        raise TypeError(NO_SAVER.format("arequest_approval", "AsyncPgAgentSaver"))
    call = _request(place, tool, args, description, allowed, args_schema, timeout)
    while True:
        with ending_lost_runs():
            for pause in _pauses():
                try:
                    asked = await place.saver.client.run(call)
                    break
                except (BaseMissing, NotFound) as missing:
                    if pause is None or not not_yet_stored(missing, place.token):
                        raise
                    await asyncio.sleep(pause)
        decision = _decision(asked, tool)
        if decision is not None:
            return decision
        interrupt(asked.question)


def _place(tool: str, tool_call_id: str | None, key: str | None) -> Place:
    return Place.of_this_task(tool, tool_call_id, key, counted_as=f"approval of {tool}")


def _request(
    place: Place,
    tool: str,
    args: Mapping[str, Any],
    description: str | None,
    allowed: Sequence[Verdict],
    args_schema: Mapping[str, Any] | None,
    timeout: float | timedelta | None,
) -> Call[Asked]:
    return calls.request_approval(
        place.thread_id,
        place.key,
        tool,
        jsonable(args),
        description=description,
        allowed=allowed,
        args_schema=args_schema,
        timeout=timeout,
        fencing_token=place.token,
        step_id=place.step_id,
        checkpoint_ns=place.checkpoint_ns,
    )


def _pauses() -> Iterator[float | None]:
    """How long to wait for the checkpoint of the task, again and again; None at last."""
    give_up = time.monotonic() + CHECKPOINT_WAIT
    while time.monotonic() < give_up:
        yield 0.02
    yield None


def _wait(ask: Callable[[], Asked], token: int | None) -> Asked:
    for pause in _pauses():
        try:
            return ask()
        except (BaseMissing, NotFound) as missing:
            if pause is None or not not_yet_stored(missing, token):
                raise
            time.sleep(pause)
    raise AssertionError("unreachable: the last round raises or returns")


def _decision(asked: Asked, tool: str) -> Decision | None:
    """The decision, if there is one. Counts as one ``interrupt()`` of the task all the same, so
    that later ones of the task keep their places."""
    if asked.decision is None:
        return None
    with contextlib.suppress(GraphInterrupt):
        interrupt(asked.question)
    action = asked.decision.get("edited_action") or asked.question["action_requests"][0]
    return Decision(
        asked.decision["type"],
        tool,
        action["args"],
        asked.decision.get("message"),
        asked.decided_by,
        asked.approval_id,
    )


# --- durable_tool(ask=...)


def schema_of(function: Callable[..., Any], hidden: set[str]) -> dict[str, Any]:
    """JSON Schema of what the model may hand to a function."""
    schema: dict[str, Any] = convert_to_openai_function(function)["parameters"]
    parameters = inspect.signature(function).parameters.values()
    variadic = {p.name for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    left_out = hidden | variadic
    properties = {k: v for k, v in schema.get("properties", {}).items() if k not in left_out}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in schema.get("required", []) if name not in left_out],
        "additionalProperties": any(p.kind is p.VAR_KEYWORD for p in parameters),
    }


def with_edits(bound: inspect.BoundArguments, args: dict[str, Any], hints: dict[str, Any]) -> None:
    """Puts edited arguments in the place of those of a call, in the types that it declares."""
    for name, value in args.items():
        known = name in bound.signature.parameters
        typed = TypeAdapter(hints[name]).validate_python(value) if name in hints else value
        if known:
            bound.arguments[name] = typed
        else:
            rest = next(
                p.name for p in bound.signature.parameters.values() if p.kind is p.VAR_KEYWORD
            )
            bound.arguments[rest] = {**bound.arguments.get(rest, {}), name: typed}


def refusal(decision: Decision, tool_call_id: str | None) -> Any:
    """What stands for the result of a call that is not made.

    Raises:
        NotApproved: outside ToolNode, where no model is told.
    """
    if tool_call_id is not None:
        return ToolMessage(
            decision.told_to_the_model(),
            tool_call_id=tool_call_id,
            name=decision.tool,
            status="success" if decision.type == "respond" else "error",
        )
    if decision.type == "respond":
        return decision.message
    raise NotApproved(decision)


def with_notice(result: Any, decision: Decision, tool_call_id: str | None) -> Any:
    """The result of an edited call, with a word to the model that it was edited."""
    if decision.type != "edit" or tool_call_id is None:
        return result
    said = result if isinstance(result, str) else json.dumps(jsonable(result))
    return ToolMessage(
        f"{decision.told_to_the_model()}\n\n{said}", tool_call_id=tool_call_id, name=decision.tool
    )
