"""The sync and the async face of clients and savers have the same methods."""

from __future__ import annotations

import inspect
from typing import Any

from pgagent import (
    AsyncClient,
    AsyncPgAgentSaver,
    AsyncWorker,
    Client,
    PgAgentSaver,
    Worker,
    calls,
)


def test_only_the_deliberate_methods_differ_between_sync_and_async() -> None:
    for sync, later in ((PgAgentSaver, AsyncPgAgentSaver), (Client, AsyncClient)):
        assert shape(sync) == shape(later)
        names = {name for name in vars(sync) if not name.startswith("_")}
        assert names == {name for name in vars(later) if not name.startswith("_")}
        for name in sorted(names):
            one, other = getattr(sync, name), getattr(later, name)
            if callable(one):
                assert shape(one) == shape(other), name


def test_both_workers_take_the_same() -> None:
    assert shape(Worker) == shape(AsyncWorker)
    for name in ("run", "stop", "work"):
        assert shape(getattr(Worker, name)) == shape(getattr(AsyncWorker, name)), name


def shape(face: Any) -> list[tuple[str, Any, Any]]:
    parameters = inspect.signature(face).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters]


def test_every_call_has_a_method_of_its_name() -> None:
    built = {
        name
        for name, found in vars(calls).items()
        if inspect.isfunction(found)
        and not name.startswith("_")
        and str(found.__annotations__.get("return", "")).startswith("Call[")
    }
    savers_own = {
        *("put_checkpoint", "put_writes", "get_checkpoint", "list_checkpoints"),
        "delta_channel_history",
    }
    assert built - savers_own == {name for name in vars(Client) if name in built}
