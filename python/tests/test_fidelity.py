"""What is stored comes back as it was, or is refused by name: whole values, parts and writes."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import threading
import uuid
from collections import deque
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from pgagent import AsyncPgAgentSaver, BadArgument, PgAgentSaver
from support.chains import chain
from support.checkpoints import checkpoint_of
from support.same import same
from support.stage import Stage, thread


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


@dataclasses.dataclass
class Counted:
    """One that cannot be made from its fields."""

    x: int
    size: int = dataclasses.field(init=False, default=7)


class Model(BaseModel):
    model_config = {"arbitrary_types_allowed": True}
    it: Any


class Pair(NamedTuple):
    one: Any
    two: Any


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    LONG = "long" * 30
    SHORT = "short"


class Rank(enum.IntEnum):
    FIRST = 1


class Text(str):
    """Text that is no plain text."""


class Table(dict[str, int]):
    """A dict that is no plain dict."""


TYPES = [Point, Counted, Model, Pair, Colour, Word, Rank]
STOCK = JsonPlusSerializer(allowed_msgpack_modules=TYPES)


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, allow=TYPES, max_size=4) as saver:
        yield saver


class Store:
    """Puts values into one thread, and reads them from there."""

    def __init__(self, saver: PgAgentSaver) -> None:
        self.saver = saver
        self.config: RunnableConfig = thread(uuid.uuid4().hex, checkpoint_ns="")
        self.versions: dict[str, str] = {}

    def put(self, times: int = 1, **values: Any) -> None:
        for _ in range(times):
            self.versions = {
                name: self.saver.get_next_version(self.versions.get(name), None) for name in values
            }
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = values
            checkpoint["channel_versions"] = {**self.versions}
            self.config = self.saver.put(
                self.config, checkpoint, {"source": "loop", "step": 0}, {**self.versions}
            )

    def read(self) -> dict[str, Any]:
        found = self.saver.get_tuple(self.config)
        assert found is not None
        return found.checkpoint["channel_values"]

    def written(self, *writes: tuple[str, Any]) -> list[Any]:
        self.saver.put_writes(self.config, writes, "task")
        found = self.saver.get_tuple(self.config)
        assert found is not None
        return [value for _, _, value in found.pending_writes or []]


PRIMITIVES = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1e22, 5e-324]),
    st.integers(),
    st.sampled_from([2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**400, -(10**400)]),
    st.text(),
    st.text(st.characters(), min_size=50, max_size=90),
    st.text(st.characters(categories=["Cs", "Cc"]), max_size=4),
    st.sampled_from(["a\0b", "\0" * 70, "\ud800", "x\udfff" * 40, "é" * 32, "é" * 33]),
    st.sampled_from([*Colour, *Word, *Rank]),
    st.binary(max_size=80),
)


def containers(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    hashable = st.one_of(st.text(max_size=4), st.integers(-9, 9), st.tuples(st.integers(0, 9)))
    return st.one_of(
        st.lists(parts, max_size=3),
        st.dictionaries(st.text(max_size=4), parts, max_size=3),
        st.tuples(parts, parts),
        st.builds(deque, st.lists(parts, max_size=2), st.sampled_from([None, 5])),
        st.sets(hashable, max_size=3),
        st.frozensets(hashable, max_size=3),
        st.builds(Point, parts),
        st.builds(Pair, parts, parts),
        st.builds(lambda it: Model(it=it), parts),
    )


OTHERS = st.one_of(
    st.builds(lambda t: HumanMessage(t, id="1"), st.text(max_size=90)),
    st.builds(lambda t: AIMessage([{"type": "text", "text": t}]), st.text(max_size=9)),
    st.builds(lambda t: ToolMessage(t, tool_call_id="1", artifact={"n": [t]}), st.text()),
    st.sampled_from(
        [
            datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.UTC),
            datetime.timedelta(days=-1, microseconds=1),
            decimal.Decimal("1.10"),
            uuid.UUID(int=7),
            Text("text"),
            Table(a=1),
            Counted(1),
        ]
    ),
)
VALUES = st.recursive(PRIMITIVES | OTHERS, containers, max_leaves=6)
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@given(value=PRIMITIVES)
@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
def test_a_primitive_keeps_value_and_type(saver: PgAgentSaver, value: Any) -> None:
    store = Store(saver)
    store.put(it=value, beside="x")
    assert same(store.read()["it"], value)
    assert same(store.written(("it", value), ("it", 1)), [value, 1])


@given(value=VALUES)
@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
def test_a_value_is_what_the_serializer_makes_of_it_or_is_refused(
    saver: PgAgentSaver, value: Any
) -> None:
    try:
        wanted = STOCK.loads_typed(STOCK.dumps_typed(value))
    except TypeError:
        wanted = None
    store = Store(saver)
    much = "much " * 200
    if value is not None and wanted is None:
        for put in ({"log": [much, value]}, {"table": {"much": much, "it": value}}):
            with pytest.raises(BadArgument, match=f"channel '{next(iter(put))}'.* at \\["):
                store.put(**put)
        return
    store.put(times=5, log=[much, value], table={"much": much, "it": value}, it=value)
    read = store.read()
    assert same(read["log"], [much, wanted])
    assert same(read["table"], {"much": much, "it": wanted})
    if not isinstance(value, str):
        assert same(read["it"], wanted)
    assert same(store.written(("it", [value]), ("it", {"a": value})), [[wanted], {"a": wanted}])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        2**64 - 1,
        -(2**63),
        1e22,
        -0.0,
        math.inf,
        math.nan,
        "",
        "a\0b",
        "é" * 40,
        "x" * 64,
        "x" * 65,
        "日本語😀",
        b"\0\xff",
        Word.SHORT,
        [],
        {},
        [1, "a\0", None, [2.5]],
        {"a": {"b": (1, 2)}},
        {1, 2},
        uuid.UUID(int=7),
    ],
    ids=repr,
)
def test_a_value_comes_back_through_a_graph_as_from_the_saver_in_memory(
    saver: PgAgentSaver, value: Any
) -> None:
    class One(TypedDict):
        it: Any
        word: Word

    graph = StateGraph(One).add_node("a", lambda state: {"it": value}).add_edge(START, "a")
    graph.compile(checkpointer=saver).invoke({"it": 0}, thread())
    theirs = InMemorySaver()
    graph.compile(checkpointer=theirs).invoke({"it": 0}, thread())
    found, wanted = (
        graph.compile(checkpointer=it).get_state(thread()).values["it"] for it in (saver, theirs)
    )
    assert (type(found), repr(found)) == (type(wanted), repr(wanted))


def test_the_lists_and_dicts_of_the_property_are_stored_as_items(
    stage: Stage, saver: PgAgentSaver
) -> None:
    store = Store(saver)
    store.put(times=5, log=["much " * 200, 1], table={"much": "much " * 200, "it": 1})
    assert stage.conn.execute(
        "select count(*) from pgagent.checkpoint_blobs where runs is not null"
    ).fetchone() >= (2,)


# --- what cannot be kept


LOCK = threading.Lock()
LOOP: list[Any] = []
LOOP.append(LOOP)
UNSTORABLE: list[tuple[Any, str, str]] = [
    (LOCK, "", "lock"),
    ({"a": [0, 1, 2, Point(LOCK)]}, "['a'][3].x", "lock"),
    ([HumanMessage("a"), HumanMessage("b", additional_kwargs={"n": 2**64})],
     "[1].additional_kwargs['n']", "64-bit"),
    (Model(it={"k": (1, LOCK)}), ".it['k'][1]", "lock"),
    (Pair(1, deque([LOCK])), ".two[0]", "lock"),
    ([1, {2**70: 1}], "[1][key 1180591620717411303424]", "64-bit"),
    ({"k" * 100: LOCK}, f"['{'k' * 36}...]", "lock"),
    ({"a": LOOP}, "['a'][0]", "holds itself"),
    ([[Text("a"), {LOCK}]], "[0][1]{...}", "lock"),
    ({"a": [threading.Thread]}, "['a'][0]", "type"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "path", "reason"), UNSTORABLE, ids=range(len(UNSTORABLE)))
def test_what_cannot_be_kept_is_refused_with_its_channel_and_path(
    stage: Stage, saver: PgAgentSaver, value: Any, path: str, reason: str
) -> None:
    store = Store(saver)
    with pytest.raises(BadArgument) as refused:
        store.put(state=value, other="x")
    said = refused.value.args[0]
    assert said.startswith(f"channel 'state' cannot be stored: {f'at {path}: ' if path else ''}")
    assert reason in said
    store.config["configurable"]["checkpoint_id"] = "c"
    with pytest.raises(BadArgument) as refused:
        store.written(("other", 1), ("state", value))
    assert f"channel 'state' cannot be stored: {f'at {path}: ' if path else ''}" in str(
        refused.value
    )
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        count = stage.conn.execute(f"select count(*) from pgagent.{table}").fetchone()
        assert count == (0,)


def test_an_error_of_another_serializer_does_not_repeat_the_value(stage: Stage) -> None:
    class Telling:
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            raise ValueError(f"cannot do {obj!r}")

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            raise NotImplementedError

    with (
        PgAgentSaver(stage.dsn, serde=Telling(), max_size=1) as saver,
        pytest.raises(BadArgument) as refused,
    ):
        Store(saver).put(it=["canary" * 30])
    assert "canary" not in str(refused.value)
    assert "channel 'it' cannot be stored: at [0]: ValueError" in str(refused.value)


class Both(TypedDict):
    log: Annotated[list[Any], lambda one, other: [*one, *other]]


def test_what_another_node_wrote_in_the_same_step_is_not_lost(
    stage: Stage, saver: PgAgentSaver
) -> None:
    ran: list[str] = []
    value: list[Any] = [LOCK]

    def good(state: Both) -> Any:
        ran.append("good")
        return {"log": ["good"]}

    def bad(state: Both) -> Any:
        ran.append("bad")
        return {"log": [value]}

    graph = StateGraph(Both).add_node("good", good).add_node("bad", bad)
    graph.add_edge(START, "good").add_edge(START, "bad")
    built = graph.compile(checkpointer=saver)
    with pytest.raises(BadArgument, match=r"channel 'log'.*at \[0\]\[0\]"):
        built.invoke({"log": []}, thread(), durability="sync")
    kept = stage.conn.execute(
        "select count(*) from pgagent.checkpoint_writes where position('good'::bytea in blob) > 0"
    ).fetchone()
    assert kept == (1,)
    value[:] = ["bad"]
    assert built.invoke(None, thread())["log"] in (["good", ["bad"]], [["bad"], "good"])
    assert sorted(ran) == ["bad", "bad", "good"]


@pytest.mark.parametrize(
    ("value", "lost"),
    [
        ((1, 2), ""),
        ({"a": [Text("x")]}, "['a'][0]"),
        ([Table(a=1)], "[0]"),
        ({"a": deque([1], 3)}, "['a']"),
        ([{(1, 2)}], "[0]{...}"),
        ({"a": {"b": Counted(1)}}, "['a']['b']"),
        (["x\ud800"], "[0]"),
        ([1, Point([1.5, None]), Colour.RED, {"x"}, HumanMessage("x"), math.nan, -0.0], None),
    ],
    ids=repr,
)
def test_a_saver_that_must_lose_nothing_refuses_what_would_come_back_otherwise(
    stage: Stage, value: Any, lost: str | None
) -> None:
    with PgAgentSaver(stage.dsn, allow=TYPES, lossless=True, max_size=1) as saver:
        store = Store(saver)
        if lost is None:
            store.put(it=value)
            assert same(store.read()["it"], value)
            return
        with pytest.raises(BadArgument) as refused:
            store.put(it=value)
        place = f"at {lost}: " if lost else ""
        assert refused.value.args[0].startswith(f"channel 'it' cannot be stored: {place}it would")


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"made": {"a": [1, object()]}}, "['made']['a'][1]"),
        ({"mine": [{"n": math.nan}]}, "['mine'][0]['n']"),
        ({"mine": math.inf}, "['mine']"),
        ({"mine": {"text": "a\0b"}}, "['mine']['text']"),
        ({"mine": {"text": "\ud800"}}, "['mine']['text']"),
        ({"mine": {"a\0": 1}}, "['mine'][key 'a\\x00']"),
    ],
    ids=range(6),
)
def test_metadata_that_cannot_be_stored_is_refused_with_its_path(
    saver: PgAgentSaver, metadata: Any, path: str
) -> None:
    with pytest.raises(BadArgument) as refused:
        saver.put(thread(checkpoint_ns=""), empty_checkpoint(), metadata, {})
    assert refused.value.args[0].startswith(f"metadata cannot be stored as JSON: at {path}: ")


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800"])
def test_metadata_of_a_run_that_is_no_json_is_named(saver: PgAgentSaver, value: Any) -> None:
    config: RunnableConfig = {**thread(), "metadata": {"mine": value}}
    with pytest.raises(BadArgument, match="'mine'"):
        chain(saver, "a").invoke({"log": []}, config, durability="sync")


def test_metadata_keeps_what_only_looks_like_nul(saver: PgAgentSaver) -> None:
    metadata: Any = {"mine": {"text": "\\u0000", "more": "\\\\u0000 é \x01"}}
    saver.put(thread(checkpoint_ns=""), empty_checkpoint(), metadata, {})
    found = saver.get_tuple(thread())
    assert found is not None
    assert found.metadata == metadata


def test_an_id_that_is_no_text_for_the_server_is_refused_without_its_neighbours(
    saver: PgAgentSaver,
) -> None:
    metadata: Any = {"secret": "canary"}
    with pytest.raises(BadArgument, match=r"\['thread_id'\]: a NUL") as refused:
        saver.put(thread("a\0b", checkpoint_ns=""), empty_checkpoint(), metadata, {})
    assert "canary" not in str(refused.value)


async def test_the_async_saver_refuses_alike(stage: Stage) -> None:
    async with AsyncPgAgentSaver(stage.dsn, lossless=True, max_size=1) as saver:
        for value, path in (([LOCK], "[0]"), ([(1,)], "[0]"), ([Point(1)], "[0]")):
            checkpoint = checkpoint_of("1", it=value)
            with pytest.raises(BadArgument, match=f"channel 'it'.*at \\{path}"):
                await saver.aput(thread(checkpoint_ns=""), checkpoint, {}, {"it": "1"})
