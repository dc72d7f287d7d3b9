"""Log records that say what they are about: the job, its thread, its trace."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from pgagent.jsonable import jsonable

_about: ContextVar[Mapping[str, Any]] = ContextVar("pgagent_about", default=MappingProxyType({}))

_OF_EVERY_RECORD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}


@contextmanager
def about(**fields: Any) -> Iterator[None]:
    """Within the block, records are about this; what is None is left out."""
    told = {name: value for name, value in fields.items() if value is not None}
    reset = _about.set(MappingProxyType({**_about.get(), **told}))
    try:
        yield
    finally:
        _about.reset(reset)


class AboutFilter(logging.Filter):
    """Gives records what they are about: ``worker``, ``job_id``, ``thread_id``, ``attempt`` and
    ``trace_id``, where they are logged by a run or for it.

    The logger ``pgagent.worker`` has it. Add it to a handler, and what nodes and tools log, and the
    libraries that they call, says so too.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record pass."""
        for name, value in _about.get().items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


class JsonFormatter(logging.Formatter):
    """A JSON object a record: ``time``, ``level``, ``logger``, ``message``; what it is about, and
    what was logged as ``extra``; and an ``error`` with type, message and traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The record, on one line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in record.__dict__.items():
            if name not in _OF_EVERY_RECORD and name not in told:
                told[name] = value
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = {
                "type": record.exc_info[0].__qualname__,
                "message": record.exc_info[1],
                "traceback": self.formatException(record.exc_info),
            }
        if record.stack_info:
            told["stack"] = record.stack_info
        return json.dumps(jsonable(told), ensure_ascii=False)


worker_log = logging.getLogger("pgagent.worker")
worker_log.addFilter(AboutFilter())
