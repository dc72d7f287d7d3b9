"""What readers of history tell, through both clients."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pgagent import AsyncClient, Client, HistoryBroken, IdempotencyConflict
from support.stage import Stage


@pytest.fixture
def told(stage: Stage) -> Stage:
    """Thread t: three checkpoints with a branch, a subgraph, a message, an event and a call."""
    stage.conn.execute(
        """
        select pgagent.create_session('t');
        select pgagent.put_checkpoint(
          jsonb_build_object(
            'thread_id', 't', 'checkpoint_ns', c.ns, 'checkpoint_id', c.id,
            'parent_checkpoint_id', c.parent, 'checkpoint', '{"channel_versions": {}}'::jsonb,
            'metadata', jsonb_build_object('source', 'loop', 'step', c.step),
            'channels', '[]'::jsonb
          )
        )
        from (
          values
          ('', 'c1', null, 0), ('', 'c2', 'c1', 1), ('', 'c3', 'c1', 1), ('sub', 's1', null, 5)
        ) as c (ns, id, parent, step);
        select pgagent.append_message('t', 'user', '"hello"');
        select pgagent.append_event('t', 'noted', '[1]');
        select pgagent.begin_tool_call('t', 'pay', 'k', '{"eur": 5}', step_id => 'c2');
        """
    )
    return stage


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, told: Stage) -> Any:
    """Calls a method of one of the clients."""

    async def run(name: str, *arguments: Any, **named: Any) -> Any:
        if request.param == "sync":
            with Client(told.dsn) as client:
                return getattr(client, name)(*arguments, **named)
        async with AsyncClient(told.dsn) as client:
            return await getattr(client, name)(*arguments, **named)

    return run


async def test_ancestors_and_descendants(call: Any) -> None:
    assert [c.checkpoint_id for c in await call("checkpoint_history", "t")] == ["c3", "c1"]
    (first,) = await call("checkpoint_history", "t", "", "c2", max_rows=1)
    assert (first.checkpoint_id, first.parent_checkpoint_id, first.step) == ("c2", "c1", 1)
    assert (first.seq, first.source, first.nodes, first.passed_by) == (2, "loop", [], None)
    found = await call("checkpoint_descendants", "t", "", "c1", after_seq=2)
    assert [c.checkpoint_id for c in found] == ["c3"]


async def test_times(call: Any) -> None:
    now = datetime.now(UTC)
    found = await call("checkpoint_at", "t", now + timedelta(hours=1))
    assert found.checkpoint_id == "c3"
    assert await call("checkpoint_at", "t", now - timedelta(hours=1)) is None
    found = await call("checkpoints_between", "t", now - timedelta(hours=1), newest_first=True)
    assert [c.checkpoint_id for c in found] == ["c3", "c2", "c1"]
    assert (found[0].passed_by, found[0].is_deliberate) == ("c2", False)
    assert await call("checkpoints_between", until=now - timedelta(hours=1)) == []
    found = await call("checkpoints_between", after_thread="t", after_seq=1, max_rows=1)
    assert [c.checkpoint_id for c in found] == ["c2"]


async def test_namespaces_and_sizes(call: Any) -> None:
    found = await call("checkpoint_namespaces", "t")
    assert [(n.checkpoint_ns, n.checkpoint_id, n.step) for n in found] == [
        ("", "c3", 1), ("sub", "s1", 5),
    ]  # fmt: skip
    sizes = await call("checkpoint_sizes", "t", "", ["c1", "c2", "x"])
    assert set(sizes) == {"c1", "c2"}
    assert all(many > 30 for many in sizes.values())


async def test_a_fork(call: Any) -> None:
    forked = await call("fork_session", "t", "c1", "u")
    assert (forked.thread_id, forked.copied) == ("u", 1)
    found = await call("checkpoint_history", "u")
    assert [(c.checkpoint_id, c.source) for c in found] == [
        (forked.checkpoint_id, "fork"), ("c1", "loop"),
    ]  # fmt: skip
    with pytest.raises(IdempotencyConflict):
        await call("fork_session", "t", "c1", "u")


async def test_the_story_and_the_tools_of_a_step(call: Any) -> None:
    story = await call("session_timeline", "t")
    assert {(h.kind, h.name) for h in story} == {
        ("checkpoint", "loop"), ("message", "user"), ("event", "noted"), ("tool_call", "pay"),
    }  # fmt: skip
    first, *_ = await call("session_timeline", "t", max_rows=1)
    rest = await call("session_timeline", "t", after=first.cursor)
    assert [first, *rest] == story
    (only,) = await call("session_timeline", "t", kinds=["message"])
    assert only.data == {"content": "hello"}
    (tool,) = await call("tool_at_step", "t", 2)
    assert (tool.tool, tool.args, tool.status) == ("pay", {"eur": 5}, "STARTED")


async def test_a_history_that_goes_round_is_an_error_of_its_own(told: Stage, call: Any) -> None:
    told.conn.execute(
        "update pgagent.checkpoints set parent_checkpoint_id = 'c3' where checkpoint_id = 'c1'"
    )
    with pytest.raises(HistoryBroken):
        await call("checkpoint_history", "t")
