"""Loading runs code: a saver loads the types that are listed, and no others, whoever wrote them."""

from __future__ import annotations

import dataclasses
import enum
import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.types import Interrupt, Send
from pydantic import BaseModel
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, BadArgument, PgAgentSaver, UnreadableValue
from support.checkpoints import checkpoint_of
from support.family import Saver
from support.stage import Stage, thread


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4) as saver:
        yield saver


# --- forged rows

PLANTED = "pgagent_planted_module"


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that leaves a mark when it is imported or called; returns the mark."""
    mark = tmp_path / "mark"
    code = f"from pathlib import Path\nmark = lambda *a, **k: Path({str(mark)!r}).touch()\nmark()\n"
    (tmp_path / f"{PLANTED}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield mark
    sys.modules.pop(PLANTED, None)


def ext(code: int, *parts: Any) -> bytes:
    return ormsgpack.packb([ormsgpack.Ext(code, ormsgpack.packb(list(parts)))])


def forged(mark: Path) -> dict[str, tuple[str, bytes]]:
    command = f"touch {mark}"

    class Evil:
        def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
            return os.system, (command,)

    call = {"lc": 2, "type": "constructor", "id": ["os", "system"], "args": [command]}
    nested = ormsgpack.Ext(0, ormsgpack.packb(["os", "system", command]))
    return {
        "a call of one argument": ("msgpack", ext(0, "os", "system", command)),
        "a call of several": ("msgpack", ext(1, "os", "system", [command])),
        "a call by names": ("msgpack", ext(2, PLANTED, "mark", {"a": 1})),
        "a method": ("msgpack", ext(3, PLANTED, "mark", command, "__call__")),
        "a pydantic model of old": ("msgpack", ext(4, PLANTED, "mark", {"a": 1})),
        "a pydantic model": ("msgpack", ext(5, PLANTED, "mark", {"a": 1}, "model_validate_json")),
        "within a safe type": ("msgpack", ext(1, "builtins", "set", [[nested]])),
        "within a snapshot": (
            "msgpack",
            ormsgpack.packb(ormsgpack.Ext(7, ext(0, PLANTED, "x", 1))),
        ),
        "json": ("json", json.dumps(call).encode()),
        "pickle": ("pickle", pickle.dumps(Evil())),
    }


@pytest.mark.parametrize("table", ["checkpoint_blobs", "checkpoint_items", "checkpoint_writes",
                                   "checkpoints"])  # fmt: skip
@pytest.mark.parametrize("what", forged(Path("x")))
def test_a_forged_row_is_refused_and_nothing_is_imported_or_called(
    stage: Stage, saver: PgAgentSaver, planted: Path, what: str, table: str
) -> None:
    log: list[Any] = [HumanMessage("much " * 100)]
    config: Any = thread(checkpoint_ns="")
    for n in range(5):
        checkpoint = checkpoint_of(f"{n}", log=log, n=n)
        new = {"log": f"{n}", "n": f"{n}"}
        config = saver.put(config, checkpoint, {"source": "loop", "step": n}, new)
    saver.put_writes(config, [("log", "x")], "task")
    assert saver.get_tuple(thread()) is not None
    type_, blob = forged(planted)[what]
    to = "inline_type = %s, inline_values" if table == "checkpoints" else "type = %s, blob"
    runs = ", runs = null" if table == "checkpoint_blobs" else ""
    stage.conn.execute(f"update pgagent.{table} set {to} = %s{runs}", (type_, blob))
    for read in (lambda: saver.get_tuple(thread()), lambda: list(saver.list(thread()))):
        with pytest.raises(UnreadableValue) as refused:
            read()
        assert "log" in str(refused.value) or table == "checkpoints"
    assert not planted.exists()
    assert PLANTED not in sys.modules


def test_what_a_tenant_stores_does_not_run_in_a_worker(
    stage: Stage, saver: PgAgentSaver, planted: Path
) -> None:
    blob = ext(0, "os", "system", f"touch {planted}")
    value = {"channel": "log", "version": "1", "type": "msgpack", "offset": 0, "length": len(blob)}
    header = {
        "thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c", "channels": [value],
        "checkpoint": {**empty_checkpoint(), "channel_versions": {"log": "1"}}, "metadata": {},
    }  # fmt: skip
    stage.conn.execute("create role tenant_that_forges")
    stage.conn.execute("select pgagent.grant_access('tenant_that_forges', 'tenant')")
    with stage.conn.transaction():
        stage.conn.execute("set local role tenant_that_forges")
        stage.conn.execute("set local pgagent.user_id = 'mallory'")
        stage.conn.execute(
            "select pgagent.put_checkpoint(%s, %s, null)", (json.dumps(header), blob)
        )
    with pytest.raises(UnreadableValue, match=r"os\.system"):
        saver.get_tuple(thread())
    assert not planted.exists()
    stage.conn.execute("drop owned by tenant_that_forges; drop role tenant_that_forges")


# --- what is listed


class Mood(enum.Enum):
    GOOD = "good"


class Model(BaseModel):
    mood: Mood


@dataclasses.dataclass
class Note:
    text: str
    model: Model | None = None


class Unlisted(BaseModel):
    x: int


class State(TypedDict):
    notes: list[Note]
    anything: Any


def graph_of(saver: Saver, value: Any = None) -> Any:
    update = {"notes": [Note("a", Model(mood=Mood.GOOD))], "anything": value}
    graph = StateGraph(State).add_node("a", lambda state: update).add_edge(START, "a")
    return graph.compile(checkpointer=saver)


def test_the_types_of_the_state_are_loaded(stage: Stage, saver: PgAgentSaver) -> None:
    graph_of(saver).invoke({"notes": []}, thread())
    with PgAgentSaver(stage.dsn, max_size=1) as another:
        values = graph_of(another).get_state(thread()).values
    assert values["notes"] == [Note("a", Model(mood=Mood.GOOD))]
    with pytest.raises(UnreadableValue, match=r"test_strict\.Mood"):
        saver.get_tuple(thread())


def test_messages_and_types_of_langgraph_are_loaded(saver: PgAgentSaver) -> None:
    value = [
        AIMessage("a", tool_calls=[{"name": "t", "args": {}, "id": "1"}]),
        Document("d"),
        Send("a", {"x": 1}),
        Interrupt("?", id="1"),
    ]
    graph = graph_of(saver, value)
    graph.invoke({"notes": []}, thread())
    assert graph.get_state(thread()).values["anything"] == value


def test_a_type_that_is_not_listed_is_refused_when_it_is_stored(saver: PgAgentSaver) -> None:
    with pytest.raises(BadArgument) as refused:
        graph_of(saver, {"deep": [Unlisted(x=1)]}).invoke({"notes": []}, thread())
    said = str(refused.value)
    assert "channel 'anything' cannot be stored: at ['deep'][0]: the type " in said
    assert "allow=[TheType]" in said


@pytest.mark.parametrize("allow", [Unlisted, (__name__, "Unlisted")])
def test_types_that_are_named_are_loaded(stage: Stage, allow: Any) -> None:
    with PgAgentSaver.from_conn_string(stage.dsn, allow=[allow], max_size=1) as saver:
        graph = graph_of(saver, Unlisted(x=1))
        graph.invoke({"notes": []}, thread())
        assert graph.get_state(thread()).values["anything"] == Unlisted(x=1)
        assert graph.get_state(thread()).values["notes"] == [Note("a", Model(mood=Mood.GOOD))]


def test_whoever_asks_for_all_types_gets_them(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, serde=JsonPlusSerializer(), max_size=1) as saver:
        graph = graph_of(saver, Unlisted(x=1))
        graph.invoke({"notes": []}, thread())
        assert graph.get_state(thread()).values["anything"] == Unlisted(x=1)


def test_a_serializer_of_ones_own_is_used_as_it_is(stage: Stage) -> None:
    class Repr:
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            return "repr", repr(obj).encode()

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            return eval(data[1])

    class One(TypedDict):
        it: Any

    graph = StateGraph(One).add_node("a", lambda state: {"it": {1: (2, 3)}}).add_edge(START, "a")
    with PgAgentSaver(stage.dsn, serde=Repr(), max_size=1) as saver:
        built = graph.compile(checkpointer=saver)
        built.invoke({"it": 0}, thread())
        assert built.get_state(thread()).values == {"it": {1: (2, 3)}}


def test_an_entrypoint_tells_its_types_too(stage: Stage, saver: PgAgentSaver) -> None:
    def add(note: Note, *, previous: Note | None = None) -> Note:
        return Note(note.text + (previous.text if previous else ""))

    add.__annotations__ = {"note": Note, "previous": Note | None, "return": Note}
    work = entrypoint(checkpointer=saver)(add)
    work.invoke(Note("a"), thread())
    assert work.invoke(Note("b"), thread()) == Note("ba")


async def test_the_async_saver_and_its_clones_share_all_but_the_list(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, max_size=2) as saver:
        graph = graph_of(saver)
        await graph.ainvoke({"notes": []}, thread())
        values = (await graph.aget_state(thread())).values
        assert values["notes"] == [Note("a", Model(mood=Mood.GOOD))]
        assert graph.checkpointer is not saver
        assert graph.checkpointer.client is saver.client
        with pytest.raises(UnreadableValue):
            await saver.aget_tuple(thread())


def test_other_savers_load_what_they_loaded(stage: Stage) -> None:
    graph = graph_of(theirs := InMemorySaver(), Unlisted(x=1))
    assert graph.checkpointer is theirs
    graph.invoke({"notes": []}, thread())
    assert graph.get_state(thread()).values["anything"] == Unlisted(x=1)
