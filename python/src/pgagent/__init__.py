"""pgagent: durable, resumable agents in PostgreSQL."""

from pgagent.aio import AsyncClient
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
from pgagent.worker import Worker

__all__ = [
    "AsyncClient",
    "AsyncPgAgentSaver",
    "BadArgument",
    "BaseMissing",
    "Client",
    "Forbidden",
    "HeadMoved",
    "HistoryBroken",
    "IdempotencyConflict",
    "IllegalTransition",
    "LeaseLost",
    "LimitExceeded",
    "NotFound",
    "PgAgentError",
    "PgAgentSaver",
    "Receipt",
    "StaleToken",
    "ThreadBusy",
    "ThreadGone",
    "ToolBusy",
    "ToolInDoubt",
    "UnreadableValue",
    "Worker",
    "answers_to_open_calls",
    "durable_tool",
    "idempotency_key",
    "strict_serializer",
]
