"""Tool calls that take effect once.

The engine keeps a mark before the effect and a receipt after it (``begin_tool_call``,
``complete_tool_call``). The key of a call stays the same when its task runs again after a crash:
thread, namespace of the task, tool, and the model's tool_call_id or the call's number in the task.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import struct
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_type_hints, overload
from uuid import UUID

from langchain_core.tools import InjectedToolCallId
from langchain_core.tools.base import _is_injected_arg_type
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime

from pgagent.calls import ToolCall
from pgagent.client import Client
from pgagent.errors import BaseMissing, NotFound, PgAgentError
from pgagent.fence import LeaseLost, ending_lost_runs, token_of
from pgagent.jsonable import jsonable
from pgagent.saver.sync import PgAgentSaver

if TYPE_CHECKING:
    from pgagent.approvals import Ask

R = TypeVar("R")

CALL_ID = "durable_call_id"
"""Name of the parameter through which ToolNode hands in the model's tool_call_id."""

CHECKPOINT_WAIT = 10.0
"""Seconds a call waits for the checkpoint of its task: LangGraph starts the first step before the
input checkpoint is stored."""


class ToolInDoubt(PgAgentError):
    """An earlier run began this call and never reported: it may or may not have taken effect.

    Not a refusal of the server. Find out, or give the tool a policy: ``in_doubt="retry"`` when the
    tool itself honours the idempotency key, or a function that looks the key up.
    """

    sqlstate = "PA005"


class ToolBusy(ToolInDoubt):
    """This very run has begun the call and not reported: two calls share a key. Pass ``key=``."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a look-up found: the call took effect, and this is what it returned."""

    result: Any


Lookup = Callable[[str], Receipt | None]
InDoubt = Literal["raise", "retry"] | Lookup
OnLoop = Literal["record", "fail"]


def not_yet_stored(error: BaseMissing | NotFound, token: int | None) -> bool:
    """Whether a call is early: its checkpoint is not stored, or a plain run's thread is not."""
    return isinstance(error, BaseMissing) or token is None


def idempotency_key(domain: str, *fields: str | None) -> str:
    """The key that ``pgagent.idempotency_key`` derives: the same bytes, without a round trip."""
    digest = hashlib.sha256(b"pgagent.key.1")
    for value in (domain, *fields):
        encoded = None if value is None else value.encode()
        digest.update(struct.pack(">i", -1 if encoded is None else len(encoded)))
        digest.update(encoded or b"")
    return digest.hexdigest()


@overload
def durable_tool(function: Callable[..., R], /) -> Callable[..., R]: ...


@overload
def durable_tool(
    *,
    name: str | None = None,
    in_doubt: InDoubt = "raise",
    on_loop: OnLoop = "record",
    ask: bool | Ask = False,
) -> Callable[[Callable[..., R]], Callable[..., R]]: ...


def durable_tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    in_doubt: InDoubt = "raise",
    on_loop: OnLoop = "record",
    ask: bool | Ask = False,
) -> Any:
    """Makes a function take effect once, however often its task runs.

    The first call runs the function and stores what it returned, as JSON; the same call after a
    crash is answered with that. A call that was begun and never reported is in doubt, and
    ``in_doubt`` says what then: raise :class:`ToolInDoubt`, run it again with the same key, or ask
    a function that takes the key and returns a :class:`Receipt` when the call took effect, None
    when it did not.

    A run whose third call in a row is the same function with the same arguments may go in circles:
    an event, ``loop_suspected``, says so, and with ``on_loop="fail"`` the job ends FAILED instead.

    The function may take ``idempotency_key``: the key, to hand on to a service that honours one.
    The model does not see that parameter. Use it under ``@tool``, in ToolNode, or call it in a
    node; calls from several threads of one node need ``key=...`` (which the function then cannot
    have itself).

        @tool
        @durable_tool(in_doubt="retry")
        def pay(amount: int, *, idempotency_key: str) -> str: ...

    With ``ask``, a person decides before the call: True, or an :class:`~pgagent.approvals.Ask`. An
    edited call is made with the edited arguments; of one that is rejected the model is told in
    ToolNode, and a node gets :class:`~pgagent.approvals.NotApproved`.
    """
    if function is None:
        return functools.partial(
            durable_tool, name=name, in_doubt=in_doubt, on_loop=on_loop, ask=ask
        )
    if inspect.iscoroutinefunction(function):
        raise TypeError("durable_tool takes functions, not coroutine functions")
    tool_name = name or function.__name__
    signature = inspect.signature(function)
    wants_key = "idempotency_key" in signature.parameters
    hints = get_type_hints(function, include_extras=True)
    hidden = {"idempotency_key"} | {
        parameter for parameter, annotation in hints.items() if _is_injected_arg_type(annotation)
    }
    from pgagent import approvals  # which needs what is defined here

    policy = approvals.Ask() if ask is True else ask or None
    schema = approvals.schema_of(function, hidden) if policy else None

    @functools.wraps(function)
    def durable(*args: Any, durable_call_id: str | None = None, **kwargs: Any) -> Any:
        key = None if "key" in signature.parameters else kwargs.pop("key", None)
        bound = signature.bind_partial(*args, **kwargs)
        bound.apply_defaults()
        described = {k: v for k, v in bound.arguments.items() if k not in hidden}
        decision = None
        if policy is not None and (policy.when is None or policy.when(described)):
            decision = approvals.request_approval(
                tool_name,
                described,
                description=policy.described(described),
                allowed=policy.allowed,
                args_schema=schema,
                timeout=policy.timeout,
                tool_call_id=durable_call_id,
                key=key,
            )
            if not decision.approved:
                return approvals.refusal(decision, durable_call_id)
            if decision.type == "edit":
                approvals.with_edits(bound, decision.args, hints)
                described = {k: v for k, v in bound.arguments.items() if k not in hidden}
        call = _Call.of_this_task(tool_name, jsonable(described), durable_call_id, key)

        def effect() -> Any:
            more = {"idempotency_key": call.key} if wants_key else {}
            return function(*bound.args, **{**bound.kwargs, **more})

        result = call.once(effect, in_doubt, on_loop)
        return approvals.with_notice(result, decision, durable_call_id) if decision else result

    shown = [p for p in signature.parameters.values() if p.name != "idempotency_key"]
    annotation = Annotated[str, InjectedToolCallId]
    injected = inspect.Parameter(
        CALL_ID, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )
    rest = next((i for i, p in enumerate(shown) if p.kind is p.VAR_KEYWORD), len(shown))
    shown.insert(rest, injected)
    durable.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    durable.__annotations__ = {
        **{k: v for k, v in function.__annotations__.items() if k != "idempotency_key"},
        CALL_ID: annotation,
    }
    return durable


NO_SAVER = (
    "{} needs a graph whose checkpointer is a {}: there is none, or the call is made outside a "
    "graph"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a run a call is made, and the key that it has there."""

    saver: Any
    thread_id: str
    key: str
    token: int | None
    step_id: str | None
    checkpoint_ns: str

    @classmethod
    def of_this_task(
        cls, tool: str, call_id: str | None, key: str | None, *, counted_as: str | None = None
    ) -> Place:
        """The place of a call that this task makes now. ``call_id``: the model's tool_call_id.
        Without it and ``key``, calls are counted, under the name of the tool or ``counted_as``."""
        config = get_config()
        configurable = config["configurable"]
        thread_id = str(configurable.get("thread_id"))
        namespace = configurable.get("checkpoint_ns", "")
        if key is not None:
            key = f"key:{key}"
        elif call_id:
            key = f"call:{call_id}"
        else:
            key = f"n:{_ordinal(configurable, counted_as or tool)}"
        info = get_runtime().execution_info
        return cls(
            configurable.get("__pregel_checkpointer"),
            thread_id,
            idempotency_key("tool", thread_id, namespace, tool, key),
            token_of(config, thread_id),
            None if info is None else info.checkpoint_id,
            "|".join(namespace.split("|")[:-1]),
        )


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of a tool, by the task that makes it."""

    client: Client
    thread_id: str
    tool: str
    key: str
    args: Any
    token: int | None
    step_id: str | None
    checkpoint_ns: str

    @classmethod
    def of_this_task(cls, tool: str, args: Any, call_id: str | None, key: str | None) -> _Call:
        place = Place.of_this_task(tool, call_id, key)
        if not isinstance(place.saver, PgAgentSaver):
            raise TypeError(NO_SAVER.format("a durable tool", "PgAgentSaver"))
        return cls(
            place.saver.client,
            place.thread_id,
            tool,
            place.key,
            args,
            place.token,
            place.step_id,
            place.checkpoint_ns,
        )

    def once(self, effect: Callable[[], Any], in_doubt: InDoubt, on_loop: OnLoop) -> Any:
        asked = self._begin(on_loop=on_loop)
        if asked.action == "stopped":
            raise LeaseLost(f"{self.tool} was called three times in a row alike: the run is ended")
        if asked.action == "busy":
            raise ToolBusy(f"{self.tool} is under way under this key", detail=f"key: {self.key}")
        if asked.action == "in_doubt":
            if in_doubt == "raise":
                raise ToolInDoubt(
                    f"{self.tool} was begun and never reported", detail=f"call_id: {asked.call_id}"
                )
            if callable(in_doubt):
                receipt = in_doubt(self.key)
                if receipt is not None:
                    return self._complete(asked.call_id, receipt.result)
            asked = self._begin(take_over=True)
        if asked.action == "replay":
            return asked.outcome
        try:
            result = effect()
        except GraphBubbleUp:
            # An interrupt: nothing was done, and the call is made again with the answer.
            self._fail(asked.call_id, {"type": "interrupted"}, in_doubt=False)
            raise
        except Exception as error:
            described = {"type": type(error).__qualname__, "message": str(error)}
            self._fail(asked.call_id, jsonable(described), in_doubt=True)
            raise
        return self._complete(asked.call_id, result)

    @ending_lost_runs()
    def _begin(self, *, take_over: bool = False, on_loop: OnLoop = "record") -> ToolCall:
        give_up = time.monotonic() + CHECKPOINT_WAIT
        while True:
            try:
                return self.client.begin_tool_call(
                    self.thread_id,
                    self.tool,
                    self.key,
                    self.args,
                    fencing_token=self.token,
                    step_id=self.step_id,
                    checkpoint_ns=self.checkpoint_ns,
                    take_over=take_over,
                    on_loop=on_loop,
                )
            except (BaseMissing, NotFound) as missing:
                if not not_yet_stored(missing, self.token) or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)

    @ending_lost_runs()
    def _fail(self, call_id: UUID, error: Any, *, in_doubt: bool) -> None:
        self.client.fail_tool_call(call_id, error, in_doubt=in_doubt, fencing_token=self.token)

    @ending_lost_runs()
    def _complete(self, call_id: UUID, result: Any) -> Any:
        """Stores the result, and returns what a later caller will be given."""
        stored = json.loads(json.dumps(jsonable(result)))
        self.client.complete_tool_call(call_id, stored, fencing_token=self.token)
        return stored


_counts: OrderedDict[int, tuple[Any, Counter[str]]] = OrderedDict()
_counting = Lock()


def _ordinal(configurable: dict[str, Any], tool: str) -> int:
    """How many calls of this tool the task has made before: counted anew at each attempt, so that a
    task that runs again counts alike. A task attempt is known by its scratchpad."""
    scratchpad = configurable["__pregel_scratchpad"]
    with _counting:
        known = _counts.get(id(scratchpad))
        if known is None or known[0] is not scratchpad:
            known = _counts[id(scratchpad)] = (scratchpad, Counter())
            while len(_counts) > 1000:
                _counts.popitem(last=False)
        ordinal = known[1][tool]
        known[1][tool] += 1
        _counts.move_to_end(id(scratchpad))
    return ordinal
