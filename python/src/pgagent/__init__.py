"""pgagent: durable, resumable agents in PostgreSQL."""

from pgagent.aio import AsyncClient
from pgagent.approvals import Ask, Decision, NotApproved, arequest_approval, request_approval
from pgagent.client import Client
from pgagent.errors import (
    BadArgument,
    BaseMissing,
    Forbidden,
    HeadMoved,
    HistoryBroken,
    IdempotencyConflict,
    IllegalTransition,
    LimitExceeded,
    NotFound,
    PgAgentError,
    StaleToken,
    ThreadBusy,
    ThreadGone,
    UnreadableValue,
)
from pgagent.fence import LeaseLost
from pgagent.open_calls import answers_to_open_calls
from pgagent.saver import AsyncPgAgentSaver, PgAgentSaver, strict_serializer
from pgagent.tools import Receipt, ToolBusy, ToolInDoubt, durable_tool, idempotency_key
from pgagent.worker import AsyncWorker, StepHung, Worker

__all__ = [
    "Ask",
    "AsyncClient",
    "AsyncPgAgentSaver",
    "AsyncWorker",
    "BadArgument",
    "BaseMissing",
    "Client",
    "Decision",
    "Forbidden",
    "HeadMoved",
    "HistoryBroken",
    "IdempotencyConflict",
    "IllegalTransition",
    "LeaseLost",
    "LimitExceeded",
    "NotApproved",
    "NotFound",
    "PgAgentError",
    "PgAgentSaver",
    "Receipt",
    "StaleToken",
    "StepHung",
    "ThreadBusy",
    "ThreadGone",
    "ToolBusy",
    "ToolInDoubt",
    "UnreadableValue",
    "Worker",
    "answers_to_open_calls",
    "arequest_approval",
    "durable_tool",
    "idempotency_key",
    "request_approval",
    "strict_serializer",
]
