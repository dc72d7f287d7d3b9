"""What earlier versions stored is read as it was: values, types, metadata, writes."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from pgagent import PgAgentSaver
from support import golden
from support.golden import DATA, DELTA, THREADS, delta_graph, faults, restore, saver_on
from support.stage import thread

FILES = sorted(DATA.glob("golden-*.json"))


@pytest.fixture(params=FILES, ids=lambda file: file.stem.removeprefix("golden-"))
def tables(request: pytest.FixtureRequest) -> Any:
    path: Path = request.param
    return json.loads(path.read_text())["tables"]


@pytest.fixture
def saver(owner: Connection[Any], tables: Any) -> PgAgentSaver:
    restore(owner, tables)
    return saver_on(owner)


def test_each_released_version_has_a_file() -> None:
    changes = (DATA.parents[2] / "CHANGELOG.md").read_text()
    versions = {
        line.split("[")[1].split("]")[0] for line in changes.splitlines() if line.startswith("## [")
    }
    assert {file.stem.removeprefix("golden-") for file in FILES} == versions
    assert version("pgagent-langgraph") in versions


def test_what_a_version_stored_is_read_as_it_was(saver: PgAgentSaver, tables: Any) -> None:
    there = {row["thread_id"] for row in tables["agent_sessions"]}
    assert there
    for thread_id in THREADS.keys() & there:
        for put in THREADS[thread_id]():
            config = thread(thread_id, checkpoint_ns=put.ns, checkpoint_id=put.id)
            assert list(faults(thread_id, put, saver.get_tuple(config))) == []
            (listed,) = saver.list(config)
            assert list(faults(thread_id, put, listed)) == []
    if "delta" in there:
        assert delta_graph(saver).get_state(thread("delta")).values == {"log": DELTA}


def test_it_holds_every_form_of_value(tables: Any) -> None:
    versions, rows = tables["checkpoint_blobs"], tables["checkpoints"]
    assert {row["type"] for row in versions if row["runs"]} == {"list", "dict"}
    assert any(len(row["runs"] or []) > 1 for row in versions)
    assert {"msgpack", "bytes", "bytearray"} <= {row["type"] for row in versions if row["blob"]}
    assert any(row["inline_values"] for row in rows)
    assert any(row["checkpoint"]["v"] < 4 for row in rows)
    assert any(row["idx"] < 0 for row in tables["checkpoint_writes"])
    assert any("counters_since_delta_snapshot" in row["metadata"] for row in rows)


def test_a_thread_of_an_earlier_version_goes_on(saver: PgAgentSaver) -> None:
    """With what it has: a list that grows is told as parts of what was stored."""
    for thread_id, channel in (("messages", "messages"), ("digits", "log")):
        found = saver.get_tuple(thread(thread_id))
        assert found is not None
        checkpoint = found.checkpoint
        values = checkpoint["channel_values"][channel]
        values.append(values[-1])
        new = {channel: saver.get_next_version(checkpoint["channel_versions"][channel], None)}
        assert new[channel] > checkpoint["channel_versions"][channel]
        checkpoint["channel_versions"].update(new)
        checkpoint["id"] = "z"
        saver.put(found.config, checkpoint, found.metadata, new)
        again = saver_on(saver.client.source).get_tuple(thread(thread_id))  # type: ignore[arg-type]
        assert again is not None
        assert golden.same(again.checkpoint["channel_values"][channel], values)
    log = delta_graph(saver).invoke({"log": ["in 3"]}, thread("delta"))["log"]
    assert log == [*DELTA, "in 3", "3"]
