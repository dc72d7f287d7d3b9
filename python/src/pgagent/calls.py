"""Every SQL call, once: its text, its parameters, and what its rows become.

A call is a value. The sync and the async client, savers and workers send the same ones; they differ
in I/O only. The rules are the server's: the comment of each SQL function says what it locks and
raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

from pgagent.jsonable import jsonable

T = TypeVar("T")
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One SQL statement, not yet sent.

    ``idempotent``: it may be sent again when the answer was lost with its connection.
    """

    sql: str
    params: Sequence[Any]
    read: Callable[[list[Row]], T]
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job. Times left are in seconds, from before the claim was sent.

    The server's JSON may hold what Python's does not read: numbers of more than 4,300 digits, lists
    in lists a thousand levels deep. Such a job is claimed all the same, and says so.
    """

    job_id: UUID
    thread_id: str
    payload: Any
    config: dict[str, Any]
    attempt: int
    max_attempts: int
    fencing_token: int
    lease_left: float
    deadline_left: float | None
    started_checkpoint_id: str | None
    resume: dict[str, Any]
    trace_id: str | None
    traceparent: str | None = None
    unreadable: str | None = None
    """Why Python cannot read payload, config or answers, which are empty then."""


@dataclass(frozen=True, slots=True)
class JobState:
    """A job as it stands, for whoever may see it."""

    job_id: UUID
    thread_id: str
    seq: int
    queue: str
    status: str
    priority: int
    available_at: datetime
    attempt: int
    max_attempts: int
    worker: str | None
    lease_expires_at: datetime | None
    fencing_token: int | None
    cancel_requested_at: datetime | None
    cancelled_by: str | None
    cancel_reason: str | None
    started_checkpoint_id: str | None
    waiting_for: dict[str, Any] | None
    answers: dict[str, Any] | None
    payload: Any
    config: dict[str, Any]
    result: Any
    error: Any
    trace_id: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    traceparent: str | None


class Enqueued(NamedTuple):
    """A job, new or known by its key; ``enqueued``: whether this call made it."""

    job_id: UUID
    status: str
    enqueued: bool


class BatchElement(NamedTuple):
    """A job of a batch, new or known by its key; or ``error``: code, message, detail and hint of
    its refusal, and nothing else."""

    job_id: UUID | None
    status: str | None
    enqueued: bool
    error: dict[str, str] | None


class Run(NamedTuple):
    """A run begun at once. Times are seconds from before the call was sent."""

    job_id: UUID
    fencing_token: int
    lease_left: float
    deadline_left: float | None


class Waits(NamedTuple):
    """How long failed jobs wait: before the first retry, doubled by each further one, and at most.
    In seconds."""

    first: float
    longest: float


class Lease(NamedTuple):
    """``lease_left``: seconds from before the call was sent."""

    lease_left: float
    cancel_requested: bool


class Appended(NamedTuple):
    """A message, new or known by its key; ``appended``: whether this call made it."""

    seq: int
    appended: bool


class Session(NamedTuple):
    """A thread; ``created``: whether this call made it."""

    thread_id: str
    created: bool


class Resumed(NamedTuple):
    """A job that was answered, and how many of its questions are still open."""

    status: str
    open_questions: int


Verdict = Literal["approve", "edit", "reject", "respond"]
"""What a person may decide."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A question to a person, open, decided or void. ``superseded``: the thread went on since."""

    approval_id: UUID
    thread_id: str
    job_id: UUID | None
    checkpoint_id: str | None
    interrupt_id: str | None
    tool_call_key: str | None
    question: Any
    action: dict[str, Any] | None
    args_schema: dict[str, Any] | None
    allowed: list[Verdict]
    status: str
    asked_at: datetime | None
    expires_at: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    edited_action: dict[str, Any] | None
    response: Any
    superseded: bool


class Asked(NamedTuple):
    """What became of a request. ``question``: what to interrupt with while it is PENDING."""

    approval_id: UUID
    status: str
    question: dict[str, Any]
    decision: dict[str, Any] | None
    decided_by: str | None


class Decided(NamedTuple):
    """A decision as it is recorded, and what is still open of the run."""

    status: str
    decided_by: str
    decided_at: datetime
    open_questions: int
    job_status: str | None


class Cancelled(NamedTuple):
    """What a cancellation did, and the status of the job now."""

    outcome: Literal["cancelled", "requested", "ended"]
    status: str


class Comparison(NamedTuple):
    """Two trajectories side by side. Calls are objects with ``name``, ``args``, and ``at``, the
    position of their message from 1; so is ``parts_at``, where strict ones part."""

    matches: bool
    parts_at: int | None
    missing: list[dict[str, Any]]
    extra: list[dict[str, Any]]


class Requeued(NamedTuple):
    """A job that shall run again; ``requeued``: whether this call did it."""

    status: str
    requeued: bool


class JobLine(NamedTuple):
    """A job in a list; :func:`get_job` shows one whole."""

    job_id: UUID
    thread_id: str
    queue: str
    status: str
    priority: int
    available_at: datetime
    attempt: int
    max_attempts: int
    worker: str | None
    cancel_requested: bool
    created_at: datetime
    completed_at: datetime | None
    error: Any


class Happening(NamedTuple):
    """Something that happened to a job: an event (``seq``), or a delivery that ended (``token``).

    ``kind`` of a delivery is its outcome, ``data`` its error.
    """

    happened_at: datetime
    source: Literal["event", "attempt"]
    kind: str
    attempt: int | None
    seq: int | None
    token: int | None
    worker: str | None
    started_at: datetime | None
    data: Any


class DeadLetter(NamedTuple):
    """A job that ended FAILED or TIMED_OUT. ``deliveries``: each with its worker and error."""

    job_id: UUID
    thread_id: str
    queue: str
    status: str
    outcome: str | None
    error: Any
    lost: int
    failed: int
    deliveries: list[dict[str, Any]]
    payload: Any
    completed_at: datetime


class QueueStats(NamedTuple):
    """What a queue holds. Counts stop at ``max_count``; ``oldest_due`` is in seconds."""

    queue: str
    ready: int
    delayed: int
    running: int
    expired: int
    waiting: int
    awaiting_human: int
    oldest_due: float | None


class Tick(NamedTuple):
    """A schedule that was due. ``job_id``: none when the thread was busy or archived."""

    name: str
    tick: datetime
    job_id: UUID | None
    outcome: Literal["enqueued", "known", "busy", "gone"]


class Schedule(NamedTuple):
    """A schedule, as :func:`schedule_job` was told."""

    name: str
    schedule: str
    thread: str
    queue: str
    scheduler: str
    on_busy: str
    last_tick_at: datetime | None
    last_job_id: UUID | None


class Event(NamedTuple):
    """An event of a thread."""

    seq: int
    kind: str
    data: Any
    job_id: UUID | None
    attempt: int | None
    trace_id: str | None
    created_at: datetime


class Swept(NamedTuple):
    """What a sweep deleted, or would delete.

    ``last_thread_id``: where the next call goes on; None at the end. ``skipped``: threads that have
    something to delete and were locked. Bytes are those of values as the server stores them.
    """

    last_thread_id: str | None
    threads: int
    skipped: int
    versions: int
    version_bytes: int
    items: int
    item_bytes: int
    writes: int
    write_bytes: int


class ToolCall(NamedTuple):
    """``outcome`` is the stored result when ``action`` is ``replay``."""

    action: Literal["execute", "replay", "busy", "in_doubt", "stopped"]
    call_id: UUID
    starts: int
    outcome: Any


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint as readers of history tell of it, without its values.

    ``nodes``: those whose tasks it ends, as far as it tells. ``passed_by`` and ``is_deliberate``,
    in lists by time alone: of the first checkpoint of a branch the one that was newest then, and
    whether somebody branched on purpose.
    """

    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str
    parent_checkpoint_id: str | None
    seq: int
    step: int | None
    source: str | None
    nodes: list[str]
    metadata: dict[str, Any]
    job_id: UUID | None
    created_at: datetime
    passed_by: str | None = None
    is_deliberate: bool | None = None


class Namespace(NamedTuple):
    """A namespace of a thread, with its latest checkpoint."""

    checkpoint_ns: str
    checkpoint_id: str
    seq: int
    step: int | None
    runs_under: str | None
    created_at: datetime


class Forked(NamedTuple):
    """A new thread, its latest checkpoint, and how many were copied."""

    thread_id: str
    checkpoint_id: str
    copied: int


@dataclass(frozen=True, slots=True)
class Happened:
    """A row of the story of a thread; ``cursor`` is where the next page goes on."""

    kind: str
    at: datetime
    name: str | None
    number: int | None
    id: str | None
    job_id: UUID | None
    data: Any
    cursor: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call as it stands, for whoever looks back."""

    call_id: UUID
    tool: str
    args: Any
    status: str
    result: Any
    error: Any
    decision: Any
    attempts: int
    call_position: int | None
    step_id: str | None
    job_id: UUID | None
    created_at: datetime
    ended_at: datetime | None


def _call(
    function: str,
    arguments: Mapping[str, tuple[str, Any]],
    read: Callable[[list[Row]], T],
    *,
    idempotent: bool = False,
    columns: str = "*",
    one_value: bool = False,
) -> Call[T]:
    """``select * from pgagent.function(name => $n::type, ...)``; ``one_value``: without the from,
    which saves the server 5 us where a call takes 130."""
    named = ", ".join(f"{name} => %s::{type_}" for name, (type_, _) in arguments.items())
    called = f"pgagent.{function}({named})"
    return Call(
        f"select {called}" if one_value else f"select {columns} from {called}",
        [value for _, value in arguments.values()],
        read,
        idempotent,
    )


def _json(value: Any) -> str | None:
    return None if value is None else _json_text(value)


def _json_text(value: Any) -> str:
    """JSON as the server's jsonb takes it: what that cannot hold is replaced, as in jsonable."""
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(jsonable(value))
    return json.dumps(jsonable(value)) if _NOT_IN_JSONB.search(text) else text


_NOT_IN_JSONB = re.compile(r"\\u(0000|d[89a-f])")
"""NUL, and half of a pair of surrogates; or a whole pair, which jsonable leaves as it is."""


def _seconds(value: float | timedelta | None) -> timedelta | None:
    return timedelta(seconds=value) if isinstance(value, (int, float)) else value


def _scalar(rows: list[Row]) -> Any:
    return rows[0][0]


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)


def _objects(names: Sequence[str]) -> Callable[[list[Row]], list[dict[str, Any]]]:
    """Rows as objects, without what is null."""
    return lambda rows: [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in rows
    ]


def _left(value: timedelta | None) -> float | None:
    return None if value is None else value.total_seconds()


_CLAIMED = """
  job_id, thread_id, payload::text, config::text, resume::text, attempt, max_attempts,
  fencing_token, lease_left, deadline_left, started_checkpoint_id, trace_id,
  traceparent
"""
"""JSON as text: a claim whose answer cannot be read would be nobody's."""


def _job(row: Row) -> Job:
    job_id, thread_id, payload, config, resume, attempt, max_attempts, token, *rest = row
    lease_left, deadline_left, started_checkpoint_id, trace_id, traceparent = rest
    unreadable = None
    try:
        payload, config, resume = (json.loads(text or "{}") for text in (payload, config, resume))
    except (ValueError, RecursionError) as error:
        payload, config, resume, unreadable = None, {}, {}, str(error)
    return Job(
        job_id=job_id,
        thread_id=thread_id,
        payload=payload,
        config=config,
        attempt=attempt,
        max_attempts=max_attempts,
        fencing_token=token,
        lease_left=lease_left.total_seconds(),
        deadline_left=_left(deadline_left),
        started_checkpoint_id=started_checkpoint_id,
        resume=resume,
        trace_id=trace_id,
        traceparent=traceparent,
        unreadable=unreadable,
    )


def _queue_stats(*row: Any) -> QueueStats:
    *counts, oldest_due = row
    return QueueStats._make((*counts, _left(oldest_due)))


def _jobs(rows: list[Row]) -> list[Job]:
    return [_job(row) for row in rows]


def _run(rows: list[Row]) -> Run:
    job_id, fencing_token, lease_left, deadline_left = rows[0]
    return Run(job_id, fencing_token, lease_left.total_seconds(), _left(deadline_left))


# --- the schema


def version() -> Call[str]:
    """The version of the installed schema."""
    return _call("version", {}, _scalar, idempotent=True)


# --- sessions


def create_session(
    thread_id: str | None = None,
    *,
    user_id: str | None = None,
    config: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Call[Session]:
    """Makes a thread, or returns the one that exists; begins a deleted one anew."""
    return _call(
        "create_session",
        {
            "thread_id": ("text", thread_id),
            "user_id": ("text", user_id),
            "config": ("jsonb", _json(config or {})),
            "metadata": ("jsonb", _json(metadata or {})),
        },
        lambda rows: Session(*rows[0]),
        idempotent=thread_id is not None,
    )


def delete_session(thread_id: str) -> Call[bool]:
    """Deletes a thread with everything in it; False when that was done before."""
    return _call("delete_session", {"thread_id": ("text", thread_id)}, _scalar, idempotent=True)


def append_message(
    thread_id: str,
    role: str,
    content: Any,
    *,
    fencing_token: int | None = None,
    turn: str | None = None,
    idempotency_key: str | None = None,
    tool_call_id: str | None = None,
    context: Any = None,
    token_count: int | None = None,
) -> Call[Appended]:
    """Appends one message; the same turn or key again returns the first one's number."""
    return _call(
        "append_message",
        {
            "thread_id": ("text", thread_id),
            "role": ("text", role),
            "content": ("jsonb", _json(content)),
            "fencing_token": ("bigint", fencing_token),
            "turn": ("text", turn),
            "idempotency_key": ("text", idempotency_key),
            "tool_call_id": ("text", tool_call_id),
            "context": ("jsonb", _json(context)),
            "token_count": ("bigint", token_count),
        },
        lambda rows: Appended(*rows[0]),
        idempotent=turn is not None or idempotency_key is not None,
    )


def append_messages(
    thread_id: str, messages: Sequence[Mapping[str, Any]], *, fencing_token: int | None = None
) -> Call[list[Appended]]:
    """Appends a batch in order; an element whose key is known is answered, the rest is stored."""
    return _call(
        "append_messages",
        {
            "thread_id": ("text", thread_id),
            "messages": ("jsonb", _json(list(messages))),
            "fencing_token": ("bigint", fencing_token),
        },
        lambda rows: [Appended(seq, appended) for _, seq, appended in rows],
        idempotent=all(m.get("turn") or m.get("idempotency_key") for m in messages),
    )


def append_event(
    thread_id: str,
    kind: str,
    data: Any = None,
    *,
    fencing_token: int | None = None,
    trace_id: str | None = None,
) -> Call[int]:
    """Appends one event and returns its number."""
    return _call(
        "append_event",
        {
            "thread_id": ("text", thread_id),
            "kind": ("text", kind),
            "data": ("jsonb", _json(data)),
            "fencing_token": ("bigint", fencing_token),
            "trace_id": ("text", trace_id),
        },
        _scalar,
    )


def record_usage(
    thread_id: str,
    usage_key: str,
    *,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cost: Any = None,
    model: str | None = None,
    data: Any = None,
    fencing_token: int | None = None,
) -> Call[bool]:
    """Records tokens and cost under a key, once; False when that was done before."""
    return _call(
        "record_usage",
        {
            "thread_id": ("text", thread_id),
            "usage_key": ("text", usage_key),
            "input_tokens": ("bigint", input_tokens),
            "output_tokens": ("bigint", output_tokens),
            "cost": ("numeric", cost),
            "model": ("text", model),
            "data": ("jsonb", _json(data)),
            "fencing_token": ("bigint", fencing_token),
        },
        _scalar,
        idempotent=True,
    )


# --- jobs


def enqueue_job(
    thread_id: str,
    payload: Any,
    *,
    queue: str = "default",
    priority: int = 0,
    delay: float | timedelta = 0,
    config: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
    max_attempts: int = 3,
    timeout: float | timedelta | None = None,
    step_timeout: float | timedelta | None = None,
    on_busy: Literal["enqueue", "reject", "interrupt", "rollback"] = "enqueue",
    trace_id: str | None = None,
    retry_base: float | timedelta | None = None,
    retry_cap: float | timedelta | None = None,
    traceparent: str | None = None,
) -> Call[Enqueued]:
    """Enqueues a run on a thread. Times are seconds or timedeltas.

    ``on_busy``: while another run of the thread is live, wait behind it (``enqueue``), raise
    ThreadBusy (``reject``), or end it, and keep its work (``interrupt``) or take it back
    (``rollback``). ``traceparent``: the header of W3C Trace Context that this happens under; the
    run gets it in its metadata, and its trace is the default of ``trace_id``.
    """
    return _call(
        "enqueue_job",
        {
            "thread_id": ("text", thread_id),
            "payload": ("jsonb", _json(payload)),
            "queue": ("text", queue),
            "priority": ("integer", priority),
            "delay": ("interval", _seconds(delay)),
            "config": ("jsonb", _json(config or {})),
            "idempotency_key": ("text", idempotency_key),
            "max_attempts": ("integer", max_attempts),
            "timeout": ("interval", _seconds(timeout)),
            "step_timeout": ("interval", _seconds(step_timeout)),
            "on_busy": ("text", on_busy),
            "trace_id": ("text", trace_id),
            "retry_base": ("interval", _seconds(retry_base)),
            "retry_cap": ("interval", _seconds(retry_cap)),
            "traceparent": ("text", traceparent),
        },
        lambda rows: Enqueued(*rows[0]),
        idempotent=idempotency_key is not None,
    )


def enqueue_jobs(
    jobs: Sequence[Mapping[str, Any]], *, keep_rest: bool = False
) -> Call[list[BatchElement]]:
    """Enqueues up to 10,000 runs at once; an answer each, in order.

    ``jobs``: the arguments of :func:`enqueue_job` by name, each with ``thread_id`` and ``payload``.
    ``keep_rest``: whether the others are enqueued when one is bad, whose answer then says why; else
    the first bad one is raised, and nothing is enqueued.
    """
    return _call(
        "enqueue_jobs",
        {
            "jobs": ("jsonb", _json([_timed(job) for job in jobs])),
            "keep_rest": ("boolean", keep_rest),
        },
        lambda rows: [BatchElement(*row[1:]) for row in rows],
        idempotent=all(job.get("idempotency_key") for job in jobs),
    )


def _timed(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job of a batch with its times as JSON takes them."""
    return {k: v.total_seconds() if isinstance(v, timedelta) else v for k, v in job.items()}


def start_run(
    thread_id: str,
    worker: str,
    *,
    payload: Any = None,
    queue: str = "default",
    lease: float | timedelta = 60,
    config: Mapping[str, Any] | None = None,
    timeout: float | timedelta | None = None,
    step_timeout: float | timedelta | None = None,
    max_attempts: int = 3,
    trace_id: str | None = None,
    on_busy: Literal["reject", "interrupt", "rollback"] = "reject",
    retry_base: float | timedelta | None = None,
    retry_cap: float | timedelta | None = None,
    single_delivery: bool = False,
    traceparent: str | None = None,
) -> Call[Run]:
    """Begins a run on a thread at once; ``on_busy`` as for :func:`enqueue_job`. Times are seconds
    or timedeltas. ``single_delivery``: nobody goes on from where it ends."""
    return _call(
        "start_run",
        {
            "thread_id": ("text", thread_id),
            "worker": ("text", worker),
            "payload": ("jsonb", _json({} if payload is None else payload)),
            "queue": ("text", queue),
            "lease": ("interval", _seconds(lease)),
            "config": ("jsonb", _json(config or {})),
            "timeout": ("interval", _seconds(timeout)),
            "step_timeout": ("interval", _seconds(step_timeout)),
            "max_attempts": ("integer", max_attempts),
            "trace_id": ("text", trace_id),
            "on_busy": ("text", on_busy),
            "retry_base": ("interval", _seconds(retry_base)),
            "retry_cap": ("interval", _seconds(retry_cap)),
            "single_delivery": ("boolean", single_delivery),
            "traceparent": ("text", traceparent),
        },
        _run,
    )


def claim_job(
    worker: str, *, queue: str = "default", lease: float | timedelta = 60
) -> Call[Job | None]:
    """Claims the next due job of a queue; None when nothing is due. ``lease``: seconds."""
    return _call(
        "claim_job",
        {
            "worker": ("text", worker),
            "queue": ("text", queue),
            "lease": ("interval", _seconds(lease)),
        },
        lambda rows: next(iter(_jobs(rows)), None),
        columns=_CLAIMED,
    )


def claim_jobs(
    worker: str,
    *,
    queues: Sequence[str] = ("default",),
    max_jobs: int = 1,
    lease: float | timedelta = 60,
) -> Call[list[Job]]:
    """Claims up to ``max_jobs`` due jobs of several queues, best first. ``lease``: seconds."""
    return _call(
        "claim_jobs",
        {
            "worker": ("text", worker),
            "queues": ("text[]", list(queues)),
            "max_jobs": ("integer", max_jobs),
            "lease": ("interval", _seconds(lease)),
        },
        _jobs,
        columns=_CLAIMED,
    )


def renew_lease(
    job_id: UUID, fencing_token: int, *, lease: float | timedelta | None = None
) -> Call[Lease]:
    """Renews the lease of a running job. ``lease``: seconds, that of the claim by default."""
    return _call(
        "renew_lease",
        {
            "job_id": ("uuid", job_id),
            "fencing_token": ("bigint", fencing_token),
            "lease": ("interval", _seconds(lease)),
        },
        lambda rows: Lease(rows[0][0].total_seconds(), rows[0][1]),
        idempotent=True,
    )


def complete_job(job_id: UUID, fencing_token: int, result: Any = None) -> Call[str]:
    """Ends a run with its result: COMPLETED, or CANCELLED when that was asked for meanwhile."""
    return _call(
        "complete_job",
        {
            "job_id": ("uuid", job_id),
            "fencing_token": ("bigint", fencing_token),
            "result": ("jsonb", _json(result)),
        },
        _scalar,
        idempotent=True,
    )


def fail_job(
    job_id: UUID,
    fencing_token: int,
    error: Any,
    *,
    fatal: bool = False,
    retry_in: float | timedelta | None = None,
) -> Call[str]:
    """Ends a delivery that went wrong: PENDING when it is retried, else FAILED or CANCELLED."""
    return _call(
        "fail_job",
        {
            "job_id": ("uuid", job_id),
            "fencing_token": ("bigint", fencing_token),
            "error": ("jsonb", _json(error)),
            "fatal": ("boolean", fatal),
            "retry_in": ("interval", _seconds(retry_in)),
        },
        _scalar,
        idempotent=True,
    )


def release_job(job_id: UUID, fencing_token: int, *, delay: float | timedelta = 0) -> Call[str]:
    """Gives a job back unfinished; the attempt is not counted. ``delay``: seconds."""
    return _call(
        "release_job",
        {
            "job_id": ("uuid", job_id),
            "fencing_token": ("bigint", fencing_token),
            "delay": ("interval", _seconds(delay)),
        },
        _scalar,
        idempotent=True,
    )


def pause_job(
    job_id: UUID,
    fencing_token: int,
    waiting_for: Mapping[str, Any],
    *,
    timeout: float | timedelta | None = None,
    response_schemas: Mapping[str, Any] | None = None,
) -> Call[str]:
    """Pauses a run until people have decided ``waiting_for``: interrupt id to question.
    ``timeout``: seconds they have. ``response_schemas``: JSON Schemas that answers must fit."""
    return _call(
        "pause_job",
        {
            "job_id": ("uuid", job_id),
            "fencing_token": ("bigint", fencing_token),
            "waiting_for": ("jsonb", _json(waiting_for)),
            "timeout": ("interval", _seconds(timeout)),
            "response_schemas": ("jsonb", _json(response_schemas)),
        },
        _scalar,
        idempotent=True,
    )


def resume_job(job_id: UUID, answers: Mapping[str, Any]) -> Call[Resumed]:
    """Answers a paused run by interrupt id; it goes on when no question is open."""
    return _call(
        "resume_job",
        {"job_id": ("uuid", job_id), "answers": ("jsonb", _json(answers))},
        lambda rows: Resumed(*rows[0]),
        idempotent=True,
    )


def cancel_job(
    job_id: UUID,
    *,
    reason: str | None = None,
    cancelled_by: str | None = None,
    force: bool = False,
) -> Call[Cancelled]:
    """Cancels a run, or asks a running one to stop."""
    return _call(
        "cancel_job",
        {
            "job_id": ("uuid", job_id),
            "reason": ("text", reason),
            "cancelled_by": ("text", cancelled_by),
            "force": ("boolean", force),
        },
        lambda rows: Cancelled(*rows[0]),
        idempotent=True,
    )


def requeue_job(
    job_id: UUID,
    *,
    reason: str | None = None,
    requeued_by: str | None = None,
    delay: float | timedelta = 0,
    max_attempts: int | None = None,
    from_start: bool = False,
) -> Call[Requeued]:
    """Lets a job that FAILED, TIMED_OUT or was CANCELLED run again. ``delay``: seconds."""
    return _call(
        "requeue_job",
        {
            "job_id": ("uuid", job_id),
            "reason": ("text", reason),
            "requeued_by": ("text", requeued_by),
            "delay": ("interval", _seconds(delay)),
            "max_attempts": ("integer", max_attempts),
            "from_start": ("boolean", from_start),
        },
        lambda rows: Requeued(*rows[0]),
        idempotent=True,
    )


def reap_expired(max_jobs: int = 100) -> Call[int]:
    """Takes back jobs whose lease ran out; returns how many. Claims do this by themselves."""
    return _call("reap_expired", {"max_jobs": ("integer", max_jobs)}, _scalar)


def pause_queue(queue: str, paused_by: str | None = None) -> Call[datetime]:
    """Stops claims from a queue until `resume_queue`; returns since when it is paused."""
    return _call(
        "pause_queue",
        {"queue": ("text", queue), "paused_by": ("text", paused_by)},
        _scalar,
        idempotent=True,
    )


def resume_queue(queue: str) -> Call[bool]:
    """Lets claims from a paused queue go on; returns whether it was paused."""
    return _call("resume_queue", {"queue": ("text", queue)}, _scalar)


def limit_queue(
    queue: str, max_running: int | None = None, max_running_per_user: int | None = None
) -> Call[int]:
    """Sets how many jobs of a queue may run at once, in all and for one owner of threads; None is
    no limit. Returns how many run now."""
    return _call(
        "limit_queue",
        {
            "queue": ("text", queue),
            "max_running": ("integer", max_running),
            "max_running_per_user": ("integer", max_running_per_user),
        },
        _scalar,
        idempotent=True,
    )


def delay_queue_retries(
    queue: str,
    retry_base: float | timedelta | None = None,
    retry_cap: float | timedelta | None = None,
) -> Call[Waits]:
    """Sets how long failed jobs of a queue wait for their retries, in seconds or timedeltas; None
    is as the settings say. Returns what holds, in seconds."""
    return _call(
        "delay_queue_retries",
        {
            "queue": ("text", queue),
            "retry_base": ("interval", _seconds(retry_base)),
            "retry_cap": ("interval", _seconds(retry_cap)),
        },
        lambda rows: Waits(*(wait.total_seconds() for wait in rows[0])),
        idempotent=True,
    )


def get_job(job_id: UUID) -> Call[JobState | None]:
    """A job as it stands; None when there is none that the caller may see."""
    return _call(
        "get_job",
        {"job_id": ("uuid", job_id)},
        lambda rows: JobState(*rows[0]) if rows else None,
        idempotent=True,
    )


def list_jobs(
    *,
    queue: str | None = None,
    status: str | None = None,
    thread_id: str | None = None,
    before_job: UUID | None = None,
    max_jobs: int = 50,
) -> Call[list[JobLine]]:
    """The newest jobs, of a queue, a status or a thread, or those before a job."""
    return _call(
        "list_jobs",
        {
            "queue": ("text", queue),
            "status": ("text", status),
            "thread_id": ("text", thread_id),
            "before_job": ("uuid", before_job),
            "max_jobs": ("integer", max_jobs),
        },
        lambda rows: [JobLine(*row) for row in rows],
        idempotent=True,
    )


def job_history(job_id: UUID) -> Call[list[Happening]]:
    """Every event and every ended delivery of a job, in order."""
    return _call(
        "job_history",
        {"job_id": ("uuid", job_id)},
        lambda rows: [Happening(*row) for row in rows],
        idempotent=True,
    )


def dead_letters(*, queue: str | None = None, max_jobs: int = 50) -> Call[list[DeadLetter]]:
    """Jobs that ended FAILED or TIMED_OUT, the last first, with every delivery's error."""
    return Call(
        f"select {', '.join(DeadLetter._fields)} from pgagent.dead_letters "
        "where %s::text is null or queue = %s order by completed_at desc limit %s",
        [queue, queue, max_jobs],
        lambda rows: [DeadLetter(*row) for row in rows],
        idempotent=True,
    )


def queue_stats(max_count: int = 10_000) -> Call[list[QueueStats]]:
    """How full each queue is; counts stop at ``max_count``."""
    return _call(
        "queue_stats",
        {"max_count": ("integer", max_count)},
        lambda rows: [_queue_stats(*row) for row in rows],
        idempotent=True,
    )


def events_since(
    thread_id: str, after_seq: int = 0, *, max_events: int = 1000
) -> Call[list[Event]]:
    """The events of a thread after one that is known, oldest first."""
    return _call(
        "events_since",
        {
            "thread_id": ("text", thread_id),
            "after_seq": ("bigint", after_seq),
            "max_events": ("integer", max_events),
        },
        lambda rows: [Event(*row) for row in rows],
        idempotent=True,
    )


# --- schedules


def schedule_job(
    name: str,
    schedule: str,
    thread_id: str,
    payload: Any,
    *,
    queue: str = "default",
    priority: int = 0,
    config: Mapping[str, Any] | None = None,
    max_attempts: int = 3,
    timeout: float | timedelta | None = None,
    step_timeout: float | timedelta | None = None,
    on_busy: Literal["enqueue", "reject"] = "enqueue",
    thread_owner: str | None = None,
    scheduler: Literal["pg_cron", "external"] = "pg_cron",
) -> Call[Literal["created", "changed", "unchanged"]]:
    """Enqueues a job at every tick of a cron schedule, in UTC; ``{tick}`` in ``thread_id`` stands
    for its time."""
    return _call(
        "schedule_job",
        {
            "name": ("text", name),
            "schedule": ("text", schedule),
            "thread_id": ("text", thread_id),
            "payload": ("jsonb", _json(payload)),
            "queue": ("text", queue),
            "priority": ("integer", priority),
            "config": ("jsonb", _json(config or {})),
            "max_attempts": ("integer", max_attempts),
            "timeout": ("interval", _seconds(timeout)),
            "step_timeout": ("interval", _seconds(step_timeout)),
            "on_busy": ("text", on_busy),
            "thread_owner": ("text", thread_owner),
            "scheduler": ("text", scheduler),
        },
        _scalar,
        idempotent=True,
    )


def unschedule_job(name: str) -> Call[bool]:
    """Ends a schedule; False when there was none. Its jobs stay."""
    return _call("unschedule_job", {"name": ("text", name)}, _scalar, idempotent=True)


def run_schedules(schedule_name: str | None = None) -> Call[list[Tick]]:
    """Enqueues what schedules are due, one job a tick, whoever calls how often."""
    return _call(
        "run_schedules",
        {"schedule_name": ("text", schedule_name)},
        lambda rows: [Tick(*row) for row in rows],
        idempotent=True,
    )


def list_schedules() -> Call[list[Schedule]]:
    """The schedules there are, by name."""
    return Call(
        f"select {', '.join(Schedule._fields)} from pgagent.job_schedules order by name",
        [],
        lambda rows: [Schedule(*row) for row in rows],
        idempotent=True,
    )


# --- settings


def notify_mode() -> Call[str]:
    """Whether NOTIFY hints that jobs became claimable or ended: off, jobs or all."""
    return Call(
        "select value from pgagent.settings where name = 'notify'",
        [],
        lambda rows: rows[0][0] if rows else "off",
        idempotent=True,
    )


# --- tool calls


def begin_tool_call(
    thread_id: str,
    tool: str,
    idempotency_key: str,
    args: Any,
    *,
    fencing_token: int | None = None,
    step_id: str | None = None,
    checkpoint_ns: str = "",
    call_position: int | None = None,
    take_over: bool = False,
    on_loop: Literal["record", "fail"] = "record",
) -> Call[ToolCall]:
    """Asks whether a tool call may take effect now."""
    return _call(
        "begin_tool_call",
        {
            "thread_id": ("text", thread_id),
            "tool": ("text", tool),
            "idempotency_key": ("text", idempotency_key),
            "args": ("jsonb", _json(args)),
            "fencing_token": ("bigint", fencing_token),
            "step_id": ("text", step_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "call_position": ("integer", call_position),
            "take_over": ("boolean", take_over),
            "on_loop": ("text", on_loop),
        },
        lambda rows: ToolCall(*rows[0]),
    )


def complete_tool_call(
    call_id: UUID, result: Any, *, fencing_token: int | None = None
) -> Call[str]:
    """Stores the result of a tool call; later callers with its key are answered with it."""
    return _call(
        "complete_tool_call",
        {
            "call_id": ("uuid", call_id),
            "result": ("jsonb", _json_text(result)),  # None is a result as any: JSON's null
            "fencing_token": ("bigint", fencing_token),
        },
        _scalar,
        idempotent=True,
    )


def fail_tool_call(
    call_id: UUID, error: Any, *, in_doubt: bool = False, fencing_token: int | None = None
) -> Call[str]:
    """Stores that a tool call took no effect, or with ``in_doubt`` that nobody knows."""
    return _call(
        "fail_tool_call",
        {
            "call_id": ("uuid", call_id),
            "error": ("jsonb", _json_text(error)),
            "in_doubt": ("boolean", in_doubt),
            "fencing_token": ("bigint", fencing_token),
        },
        _scalar,
        idempotent=True,
    )


# --- approvals


def request_approval(
    thread_id: str,
    tool_call_key: str,
    tool: str,
    args: Mapping[str, Any] | None = None,
    *,
    description: str | None = None,
    allowed: Sequence[Verdict] = ("approve", "edit", "reject", "respond"),
    args_schema: Mapping[str, Any] | None = None,
    timeout: float | timedelta | None = None,
    fencing_token: int | None = None,
    step_id: str | None = None,
    checkpoint_ns: str = "",
) -> Call[Asked]:
    """Asks for a decision about a tool call, or tells what was decided. ``timeout``: seconds."""
    return _call(
        "request_approval",
        {
            "thread_id": ("text", thread_id),
            "tool_call_key": ("text", tool_call_key),
            "tool": ("text", tool),
            "args": ("jsonb", _json(args or {})),
            "description": ("text", description),
            "allowed": ("text[]", list(allowed)),
            "args_schema": ("jsonb", _json(args_schema)),
            "timeout": ("interval", _seconds(timeout)),
            "fencing_token": ("bigint", fencing_token),
            "step_id": ("text", step_id),
            "checkpoint_ns": ("text", checkpoint_ns),
        },
        lambda rows: Asked(*rows[0]),
        idempotent=True,
    )


def decide_approval(
    approval_id: UUID,
    decision: Verdict,
    *,
    edited_action: Mapping[str, Any] | None = None,
    response: Any = None,
    reason: str | None = None,
    decided_by: str | None = None,
    checkpoint_id: str | None = None,
) -> Call[Decided]:
    """Takes a person's decision, once: ``edit`` goes with ``edited_action`` ({"args": {...}}),
    ``respond`` with ``response``. The run goes on when all that it asked is decided."""
    answered = decision == "respond" or response is not None
    return _call(
        "decide_approval",
        {
            "approval_id": ("uuid", approval_id),
            "decision": ("text", decision),
            "edited_action": ("jsonb", _json(edited_action)),
            "response": ("jsonb", _json_text(response) if answered else None),
            "reason": ("text", reason),
            "decided_by": ("text", decided_by),
            "checkpoint_id": ("text", checkpoint_id),
        },
        lambda rows: Decided(*rows[0]),
        idempotent=True,
    )


def expire_approvals(max_approvals: int = 100) -> Call[int]:
    """Ends what nobody decided in time, and the runs that asked; says how many. Claims do too."""
    return _call("expire_approvals", {"max_approvals": ("integer", max_approvals)}, _scalar)


def get_approval(approval_id: UUID) -> Call[Approval | None]:
    """An approval as it stands; None when there is none that the caller may see."""
    return _call(
        "get_approval",
        {"approval_id": ("uuid", approval_id)},
        lambda rows: Approval(*rows[0]) if rows else None,
        idempotent=True,
    )


_PENDING = """
  select
    approval_id, thread_id, job_id, checkpoint_id, interrupt_id, tool_call_key, question, action,
    args_schema, allowed, 'PENDING', asked_at, expires_at, null, null, null, null, null, superseded
  from pgagent.pending_approvals
  where (%s::text is null or thread_id = %s) and (%s::uuid is null or job_id = %s)
  order by asked_at, approval_id
  limit %s
"""


def pending_approvals(
    thread_id: str | None = None, *, job_id: UUID | None = None, max_rows: int | None = 1000
) -> Call[list[Approval]]:
    """What people are asked to decide now, oldest first: of a thread, of a run, or of all."""
    return Call(
        _PENDING,
        [thread_id, thread_id, job_id, job_id, max_rows],
        lambda rows: [Approval(*row) for row in rows],
        True,
    )


# --- checkpoints


def put_checkpoint(header: str, body: bytes, fencing_token: int | None) -> Call[int]:
    """Stores a checkpoint; ``header`` is JSON text, ``body`` the serialised values."""
    return _call(
        "put_checkpoint",
        {
            "header": ("jsonb", header),
            "body": ("bytea", body),
            "fencing_token": ("bigint", fencing_token),
        },
        _scalar,
        idempotent=True,
        one_value=True,
    )


def put_writes(header: str, body: bytes, fencing_token: int | None) -> Call[int]:
    """Stores what one task wrote; ``header`` is JSON text, ``body`` the serialised values."""
    return _call(
        "put_writes",
        {
            "header": ("jsonb", header),
            "body": ("bytea", body),
            "fencing_token": ("bigint", fencing_token),
        },
        _scalar,
        idempotent=True,
        one_value=True,
    )


def get_checkpoint(
    thread_id: str, checkpoint_ns: str, checkpoint_id: str | None, read: Callable[[list[Row]], T]
) -> Call[T]:
    """Reads one checkpoint whole: the latest of a namespace, or one by its id."""
    return _call(
        "get_checkpoint",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "checkpoint_id": ("text", checkpoint_id),
        },
        read,
        idempotent=True,
    )


def list_checkpoints(
    thread_id: str | None,
    checkpoint_ns: str | None,
    read: Callable[[list[Row]], T],
    *,
    before: str | None = None,
    filter: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    checkpoint_id: str | None = None,
    with_values: bool = True,
) -> Call[T]:
    """Lists checkpoints, whole or without their values, newest first."""
    return _call(
        "list_checkpoints",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "before": ("text", before),
            "filter": ("jsonb", _json(filter)),
            "max_rows": ("integer", max_rows),
            "checkpoint_id": ("text", checkpoint_id),
            "with_values": ("boolean", with_values),
        },
        read,
        idempotent=True,
    )


def discard_partial_outputs(thread_id: str, fencing_token: int) -> Call[int]:
    """Forgets what failed tasks of the run have stored, so that they run again."""
    return _call(
        "discard_partial_outputs",
        {"thread_id": ("text", thread_id), "fencing_token": ("bigint", fencing_token)},
        _scalar,
        idempotent=True,
    )


def delta_channel_history(
    thread_id: str,
    checkpoint_ns: str,
    checkpoint_id: str | None,
    channels: Sequence[str],
    read: Callable[[list[Row]], T],
) -> Call[T]:
    """What channels are rebuilt from: their nearest stored values, and what was written since."""
    return _call(
        "delta_channel_history",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "checkpoint_id": ("text", checkpoint_id),
            "channels": ("text[]", list(channels)),
        },
        read,
        idempotent=True,
    )


def prune_history(
    thread_id: str, *, keep_last: int = 1, older_than: timedelta | None = None
) -> Call[int]:
    """Deletes old checkpoints of a thread; returns how many."""
    return _call(
        "prune_history",
        {
            "thread_id": ("text", thread_id),
            "keep_last": ("integer", keep_last),
            "older_than": ("interval", older_than),
        },
        _scalar,
        idempotent=True,
    )


def enable_metadata_index() -> Call[list[str]]:
    """The statements that make the index for lists by metadata, each to run in autocommit mode."""
    return _call("enable_metadata_index", {}, lambda rows: [row[0] for row in rows])


def sweep_orphans(
    *,
    grace: float | timedelta = timedelta(days=1),
    max_threads: int = 100,
    after_thread: str | None = None,
    dry_run: bool = False,
) -> Call[Swept]:
    """Deletes what nothing leads to, some threads a call; goes on at ``last_thread_id``.

    ``grace``: seconds or a timedelta, longer than the longest lease that is held.
    """
    return _call(
        "sweep_orphans",
        {
            "grace": ("interval", _seconds(grace)),
            "max_threads": ("integer", max_threads),
            "after_thread": ("text", after_thread),
            "dry_run": ("boolean", dry_run),
        },
        lambda rows: Swept(*rows[0]),
    )


def delete_runs(run_ids: Sequence[str]) -> Call[int]:
    """Deletes the checkpoints that some runs stored; returns how many."""
    return _call("delete_runs", {"run_ids": ("text[]", list(run_ids))}, _scalar, idempotent=True)


def copy_thread(source: str, target: str, *, latest_only: bool = False) -> Call[int]:
    """Copies the checkpoints of a thread to a new one; returns how many."""
    return _call(
        "copy_thread",
        {
            "source": ("text", source),
            "target": ("text", target),
            "latest_only": ("boolean", latest_only),
        },
        _scalar,
        idempotent=False,
    )


def trajectory(thread_id: str) -> Call[list[dict[str, Any]]]:
    """What an agent said and did on a thread, by its messages: role, content, tool_calls and
    tool_call_id of each, without what is null."""
    names = ("role", "content", "tool_calls", "tool_call_id")
    arguments = {"thread_id": ("text", thread_id)}
    return _call("trajectory", arguments, _objects(names), idempotent=True, columns=_all(names))


def compare_trajectories(
    trajectory: list[dict[str, Any]],
    reference: list[dict[str, Any]],
    *,
    mode: Literal["strict", "unordered", "subset", "superset"] = "strict",
    arguments: Literal["exact", "ignore", "subset", "superset"] = "exact",
    tools: Mapping[str, Any] | None = None,
) -> Call[Comparison]:
    """Compares the tool calls of two trajectories; :func:`pgagent.trajectories.compare` takes
    LangChain's messages, and functions as rules."""
    return _call(
        "compare_trajectories",
        {
            "trajectory": ("jsonb", _json(trajectory)),
            "reference": ("jsonb", _json(reference)),
            "mode": ("text", mode),
            "arguments": ("text", arguments),
            "tools": ("jsonb", _json(dict(tools or {}))),
        },
        lambda rows: Comparison(*rows[0]),
        idempotent=True,
    )


def context_window(
    thread_id: str, *, as_of: int | None = None, with_context: bool = False
) -> Call[list[dict[str, Any]]]:
    """The conversation as it goes to the model: a summary of its beginning, and the rest. Objects
    with seq, role, content, tool_call_id, token_count and context, without what is null."""
    arguments = {
        "thread_id": ("text", thread_id),
        "as_of": ("bigint", as_of),
        "with_context": ("boolean", with_context),
    }
    names = ("seq", "role", "content", "tool_call_id", "token_count", "context")
    return _call("context_window", arguments, _objects(names), idempotent=True, columns=_all(names))


def messages_to_summarize(thread_id: str, *, keep: int = 20) -> Call[list[dict[str, Any]]]:
    """The part of the context that a next summary should cover, as :func:`context_window` gives
    it; empty when there is nothing to summarise."""
    names = ("seq", "role", "content", "tool_call_id", "token_count")
    return _call(
        "messages_to_summarize",
        {"thread_id": ("text", thread_id), "keep": ("bigint", keep)},
        _objects(names),
        idempotent=True,
        columns=_all(names),
    )


def needs_compaction(
    thread_id: str,
    context_size: int,
    *,
    projected: int | None = None,
    upcoming: int = 0,
    threshold: float = 0.7,
    keep: int = 20,
) -> Call[bool]:
    """Whether the context has to be summarised before the model is called again."""
    return _call(
        "needs_compaction",
        {
            "thread_id": ("text", thread_id),
            "context_size": ("bigint", context_size),
            "projected": ("bigint", projected),
            "upcoming": ("bigint", upcoming),
            "threshold": ("numeric", threshold),
            "keep": ("bigint", keep),
        },
        _scalar,
        idempotent=True,
    )


def record_summary(
    thread_id: str,
    covers_through_seq: int,
    summary: Any,
    *,
    fencing_token: int | None = None,
    model: str | None = None,
    tokens_before: int | None = None,
    tokens_after: int | None = None,
) -> Call[bool]:
    """Records what stands for the beginning of a conversation from now on; whether this call
    did."""
    return _call(
        "record_summary",
        {
            "thread_id": ("text", thread_id),
            "covers_through_seq": ("bigint", covers_through_seq),
            "summary": ("jsonb", _json(summary)),
            "fencing_token": ("bigint", fencing_token),
            "model": ("text", model),
            "tokens_before": ("bigint", tokens_before),
            "tokens_after": ("bigint", tokens_after),
        },
        _scalar,
        idempotent=True,
    )


# --- history


def _checkpoints(rows: list[Row]) -> list[StoredCheckpoint]:
    return [StoredCheckpoint(*row) for row in rows]


def checkpoint_history(
    thread_id: str,
    checkpoint_ns: str = "",
    checkpoint_id: str | None = None,
    *,
    max_rows: int = 1000,
) -> Call[list[StoredCheckpoint]]:
    """A checkpoint (the latest, if None) and its ancestors, newest first, to the root.

    The next page begins at the ``parent_checkpoint_id`` of the last row.
    """
    return _call(
        "checkpoint_history",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "checkpoint_id": ("text", checkpoint_id),
            "max_rows": ("integer", max_rows),
        },
        _checkpoints,
        idempotent=True,
    )


def checkpoint_descendants(
    thread_id: str,
    checkpoint_ns: str,
    checkpoint_id: str,
    *,
    after_seq: int | None = None,
    max_rows: int = 1000,
) -> Call[list[StoredCheckpoint]]:
    """Everything that continued a checkpoint, on all branches, in the order it was stored.

    ``after_seq``: ``seq`` of the last row of the page before.
    """
    return _call(
        "checkpoint_descendants",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "checkpoint_id": ("text", checkpoint_id),
            "after_seq": ("bigint", after_seq),
            "max_rows": ("integer", max_rows),
        },
        _checkpoints,
        idempotent=True,
    )


def checkpoint_at(
    thread_id: str, as_of: datetime, *, checkpoint_ns: str = ""
) -> Call[StoredCheckpoint | None]:
    """The checkpoint that was the latest at some time; a time without a zone is local time."""
    return _call(
        "checkpoint_at",
        {
            "thread_id": ("text", thread_id),
            "as_of": ("timestamptz", as_of),
            "checkpoint_ns": ("text", checkpoint_ns),
        },
        lambda rows: StoredCheckpoint(*rows[0]) if rows else None,
        idempotent=True,
    )


def checkpoints_between(
    thread_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    *,
    checkpoint_ns: str = "",
    after_thread: str | None = None,
    after_seq: int | None = None,
    newest_first: bool = False,
    max_rows: int = 1000,
) -> Call[list[StoredCheckpoint]]:
    """What was stored from ``since`` on and before ``until``, of one thread or of all (None).

    ``after_thread`` and ``after_seq``: those of the last row of the page before.
    """
    return _call(
        "checkpoints_between",
        {
            "thread_id": ("text", thread_id),
            "since": ("timestamptz", since),
            "until": ("timestamptz", until),
            "checkpoint_ns": ("text", checkpoint_ns),
            "after_thread": ("text", after_thread),
            "after_seq": ("bigint", after_seq),
            "newest_first": ("boolean", newest_first),
            "max_rows": ("integer", max_rows),
        },
        _checkpoints,
        idempotent=True,
    )


def checkpoint_namespaces(
    thread_id: str, *, after_ns: str | None = None, max_rows: int = 1000
) -> Call[list[Namespace]]:
    """The namespaces of a thread, by name; ``after_ns``: the last one of the page before."""
    return _call(
        "checkpoint_namespaces",
        {
            "thread_id": ("text", thread_id),
            "after_ns": ("text", after_ns),
            "max_rows": ("integer", max_rows),
        },
        lambda rows: [Namespace(*row) for row in rows],
        idempotent=True,
    )


def checkpoint_sizes(
    thread_id: str, checkpoint_ns: str, checkpoint_ids: Sequence[str]
) -> Call[dict[str, int]]:
    """How many bytes checkpoints have added to a thread, by their ids."""
    return _call(
        "checkpoint_sizes",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_ns": ("text", checkpoint_ns),
            "checkpoint_ids": ("text[]", list(checkpoint_ids)),
        },
        dict,
        idempotent=True,
    )


def fork_session(
    thread_id: str, checkpoint_id: str | None = None, new_thread: str | None = None
) -> Call[Forked]:
    """Begins a new thread at a checkpoint (the latest, if None) of another, which stays as it is.

    With a ``new_thread`` the call may be sent again: the second one is told that it exists.
    """
    return _call(
        "fork_session",
        {
            "thread_id": ("text", thread_id),
            "checkpoint_id": ("text", checkpoint_id),
            "new_thread": ("text", new_thread),
        },
        lambda rows: Forked(*rows[0]),
    )


def session_timeline(
    thread_id: str,
    *,
    after: Mapping[str, Any] | None = None,
    max_rows: int = 100,
    kinds: Sequence[str] | None = None,
) -> Call[list[Happened]]:
    """The story of a thread in one order: what happened, was said, called, asked and stored.

    ``after``: ``cursor`` of the last row of the page before; ``kinds``: some of ``event``,
    ``message``, ``tool_call``, ``approval``, ``checkpoint``.
    """
    return _call(
        "session_timeline",
        {
            "thread_id": ("text", thread_id),
            "after": ("jsonb", _json(after)),
            "max_rows": ("integer", max_rows),
            "kinds": ("text[]", None if kinds is None else list(kinds)),
        },
        lambda rows: [Happened(*row) for row in rows],
        idempotent=True,
    )


def tool_at_step(thread_id: str, step: int) -> Call[list[CalledTool]]:
    """The tools that were called in a super-step, as LangGraph counts (``langgraph_step``)."""
    return _call(
        "tool_at_step",
        {"thread_id": ("text", thread_id), "step": ("integer", step)},
        lambda rows: [CalledTool(*row) for row in rows],
        idempotent=True,
    )
