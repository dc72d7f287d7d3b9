"""Lists and dicts as items: what is read equals what was stored, whatever nodes do in between."""

from __future__ import annotations

import copy
import dataclasses
import enum
import uuid
from array import array
from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph
from pydantic import BaseModel, PrivateAttr

from pgagent import PgAgentSaver
from pgagent.saver.items import ChannelKey, Known, Memory, difference
from support.checkpoints import checkpoint_of
from support.family import State
from support.stage import Stage, thread

KINDS = ("Point", "Slotted", "Colour", "Model", "Words", "Table")
SERDE = JsonPlusSerializer(
    pickle_fallback=True, allowed_msgpack_modules=[(__name__, kind) for kind in KINDS]
)


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, serde=SERDE, max_size=2) as saver:
        yield saver


# --- what may be in a list


@dataclasses.dataclass
class Point:
    x: int
    tags: list[str]


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Model(BaseModel):
    model_config: ClassVar[Any] = {"extra": "allow"}
    name: str
    _hidden: int = PrivateAttr(default=0)


class Words(list[str]):
    """A list that is no list."""


class Table(dict[str, int]):
    """A dict that is no dict."""


class Unpacked:
    """What only pickle can store."""

    def __init__(self, x: int) -> None:
        self.x = x


def of_many_kinds() -> st.SearchStrategy[Any]:
    text = st.text(max_size=6)
    number = st.integers(-9, 9)
    return st.one_of(
        st.builds(lambda t: HumanMessage(t * 40), text),
        st.builds(lambda t, n: AIMessage(t, additional_kwargs={"n": [n]}, id=t), text, number),
        st.builds(lambda t: ToolMessage(t, tool_call_id=t or "x", artifact={"a": t}), text),
        st.builds(lambda t: SystemMessage([{"type": "text", "text": t}]), text),
        st.builds(Point, number, st.lists(text, max_size=2)),
        st.builds(Slotted, number),
        st.builds(lambda t: Model(name=t), text),
        st.builds(lambda t: Words([t, t]), text),
        st.builds(lambda n: Table(a=n), number),
        st.builds(lambda t: {t: [t * 30]}, text),
        st.builds(lambda t: t * 50, text),
        st.builds(lambda t: deque([t]), text),
        st.builds(lambda t: {t}, text),
        st.binary(max_size=4),
        st.builds(bytearray, st.binary(max_size=4)),
        st.sampled_from([None, True, 1, 1.0, -0.0, Colour.RED, (1, "a"), [1, [2]]]),
    )


def edit(item: Any, n: int) -> None:
    """Changes an item where it lies."""
    match item:
        case BaseMessage() if n % 4 == 0:
            item.content = f"edited {n}"
        case BaseMessage() if n % 4 == 1:
            item.additional_kwargs["edited"] = {"deep": n}
        case BaseMessage() if n % 4 == 2:
            item.response_metadata = {"n": n}
        case BaseMessage():
            item.extra_field = n  # type: ignore[attr-defined]
        case Point() if n % 2:
            item.tags.append(str(n))
        case Point() | Slotted():
            item.x = n
        case Model() if n % 3 == 0:
            item._hidden = n
        case Model() if n % 3 == 1:
            item.extra_field = n  # type: ignore[attr-defined]
        case Model():
            item.name += "!"
        case list():
            item.append("more")
        case dict():
            item["more"] = n
        case deque():
            item.append("more")
        case set():  # of one element: two that collide change places each time they are loaded
            item.clear()
            item.add(n)
        case bytearray():
            item.extend(b"more")
        case _:
            pass


# --- the property

HOW = (
    *("append", "append", "append", "extend", "remove", "replace", "trim", "slide", "move"),
    *("reverse", "edit", "edit", "edit", "repeat", "fork", "reload", "other", "clear"),
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(HOW),
        st.integers(0, 999),
        st.lists(of_many_kinds(), min_size=1, max_size=3),
    ),
    min_size=3,
    max_size=14,
)


def change(items: list[Any], how: str, n: int, new: list[Any]) -> None:
    at = n % len(items) if items else 0
    match how:
        case "append" | "fork" | "reload" | "other":
            items.append(new[0])
        case "extend":
            items.extend(new * 5)
        case "remove":
            del items[at : at + 1]
        case "replace":
            items[at : at + 1] = new
        case "trim":
            del items[:at]
        case "slide":
            items.append(new[0])
            del items[:1]
        case "move":
            items[:] = items[at:] + items[:at]
        case "reverse":
            items.reverse()
        case "edit" if items:
            edit(items[at], n)
        case "clear" if n % 5 == 0:
            items.clear()


class History:
    """Checkpoints of one thread, and what each of them must read as."""

    def __init__(self, savers: list[PgAgentSaver]) -> None:
        self.savers = savers
        self.thread_id = uuid.uuid4().hex
        self.version: str | None = None
        self.stored: list[tuple[Any, Any]] = []

    def put(self, value: Any, *, parent: Any = None, saver: int = 0, again: bool = False) -> None:
        version = self.savers[saver].get_next_version(self.version, None)
        self.version = version
        checkpoint = checkpoint_of(version, log=value)
        config = parent or (self.stored[-1][0] if self.stored else thread(self.thread_id))
        config["configurable"].setdefault("checkpoint_ns", "")
        for _ in range(1 + again):
            kept = self.savers[saver].put(
                config, checkpoint, {"source": "loop", "step": len(self.stored)}, {"log": version}
            )
        self.stored.append((kept, SERDE.dumps_typed(value)))

    def read(self, config: Any, saver: int = 0) -> Any:
        found = self.savers[saver].get_tuple(config)
        assert found is not None
        return found.checkpoint["channel_values"]["log"]

    def check(self) -> None:
        # Loaded and serialised once more, since a set that is loaded may have another order.
        wanted = [SERDE.dumps_typed(SERDE.loads_typed(value)) for _, value in self.stored]
        assert [SERDE.dumps_typed(self.read(config)) for config, _ in self.stored] == wanted
        listed = list(self.savers[0].list(thread(self.thread_id)))
        found = [SERDE.dumps_typed(t.checkpoint["channel_values"]["log"]) for t in listed]
        assert found == wanted[::-1]


@given(steps=STEPS, start=st.lists(of_many_kinds(), max_size=12))
@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_read_is_what_was_stored_whatever_happened_to_the_list(
    stage: Stage, saver: PgAgentSaver, steps: list[Any], start: list[Any]
) -> None:
    other = PgAgentSaver(saver.client.source, serde=SERDE)
    history = History([saver, other])
    value = start
    history.put(value)
    for how, n, new in steps:
        if how == "fork":
            config = history.stored[n % len(history.stored)][0]
            value = history.read(config)
            change(value, how, n, new)
            history.put(value, parent=config)
            continue
        if how == "reload":
            value = history.read(thread(history.thread_id, checkpoint_ns=""))
        change(value, how, n, new)
        history.put(value, saver=how == "other", again=how == "repeat")
    history.check()


# --- what single edits must not escape


def log_of(size: int = 12) -> list[Any]:
    return [HumanMessage(f"{n} " * 60, id=str(n)) for n in range(size)]


def test_a_log_that_grows_is_written_once(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value = log_of(3)
    for n in range(60):
        value.append(AIMessage(f"{n} " * 60))
        history.put(value)
    history.check()
    kept = stage.conn.execute(
        "select count(*), count(*) filter (where runs is not null), sum(cardinality(runs)) "
        "from pgagent.checkpoint_blobs where thread_id = %s",
        (history.thread_id,),
    ).fetchone()
    assert kept is not None
    assert kept[0] == 60
    assert kept[1] >= 55
    assert kept[1] == kept[2]
    items = stage.conn.execute(
        "select count(*) from pgagent.checkpoint_items where thread_id = %s", (history.thread_id,)
    ).fetchone()
    assert items == (63,)


def as_items(stage: Stage, history: History, value: list[Any]) -> None:
    """Puts a value until it is stored as items."""
    for _ in range(8):
        value.append(HumanMessage("more " * 40))
        history.put(value)
    assert stage.conn.execute(
        "select runs is not null from pgagent.checkpoint_blobs where thread_id = %s "
        "and version = %s",
        (history.thread_id, history.version),
    ).fetchone() == (True,)


EDITS: dict[str, Any] = {
    "content": lambda items: setattr(items[0], "content", "edited"),
    "content of a part": lambda items: items[1].content[0].update(text="edited"),
    "deep in a dict": lambda items: items[0].additional_kwargs.update(a={"b": [1]}),
    "extra field": lambda items: setattr(items[0], "extra_field", 1),
    "class": lambda items: object.__setattr__(items[0], "__class__", SystemMessage),
    "type of a number": lambda items: items[2].update(n=1.0),
    "bool for a number": lambda items: items[2].update(n=True),
    "item of a list": lambda items: items[3].append("x"),
    "item of a set": lambda items: items[4].add("x"),
    "item of a deque": lambda items: items[5].append("x"),
    "item of a list subclass": lambda items: items[6].append("x"),
    "item of a dict subclass": lambda items: items[7].update(b=2),
    "field of a dataclass": lambda items: setattr(items[8], "x", 7),
    "slot": lambda items: setattr(items[9], "x", 7),
    "field of a model": lambda items: setattr(items[10], "name", "edited"),
    "extra field of a model": lambda items: setattr(items[10], "extra_field", 1),
    "bytes": lambda items: items[11].extend(b"x"),
    "enum": lambda items: items.__setitem__(12, Colour.BLUE),
    "what only pickle stores": lambda items: setattr(items[13], "x", 7),
    "two that change places": lambda items: items.insert(0, items.pop(1)),
}


def of_each_kind() -> list[Any]:
    return [
        HumanMessage("one " * 40),
        SystemMessage([{"type": "text", "text": "two " * 40}]),
        {"n": 1, "text": "three " * 40},
        ["four " * 40],
        {"five " * 40},
        deque(["six " * 40]),
        Words(["seven " * 40]),
        Table(a=1),
        Point(1, ["eight"]),
        Slotted(1),
        Model(name="nine"),
        bytearray(b"ten " * 40),
        Colour.RED,
    ]


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_in_place_is_stored(stage: Stage, saver: PgAgentSaver, what: str) -> None:
    history = History([saver])
    value = of_each_kind()
    if what == "what only pickle stores":
        value.append(Unpacked(1))
        history.put(value)
    else:
        as_items(stage, history, value)
    before = SERDE.dumps_typed(value)
    EDITS[what](value)
    assert SERDE.dumps_typed(value) != before
    history.put(value)
    history.check()


@pytest.mark.parametrize("how", ["trim", "slide", "move", "remove"])
def test_what_was_stored_is_not_written_again(stage: Stage, saver: PgAgentSaver, how: str) -> None:
    history = History([saver])
    value = log_of()
    as_items(stage, history, value)
    before = newest_item(stage, history)
    change(value, how, 3, [HumanMessage("new " * 40)])
    history.put(value)
    history.check()
    assert newest_item(stage, history) - before == (how == "slide")


def newest_item(stage: Stage, history: History) -> int:
    found = stage.conn.execute(
        "select max(seq) from pgagent.checkpoint_items where thread_id = %s", (history.thread_id,)
    ).fetchone()
    assert found is not None
    return int(found[0])


def test_branches_share_their_log(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value = log_of()
    as_items(stage, history, value)
    root, before = history.stored[-1][0], newest_item(stage, history)
    for n in range(3):
        branch = history.read(root)
        branch.append(HumanMessage(f"branch {n} " * 20))
        history.put(branch, parent=root)
    history.check()
    assert newest_item(stage, history) - before <= 6


def test_a_dict_that_grows_is_stored_as_pairs(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value: dict[str, Any] = {}
    for n in range(30):
        value[f"key {n}"] = ["text " * 60]
        history.put(value)
    value["key 3"].append("edited")
    history.put(value)
    del value["key 5"]
    history.put(value)
    history.check()
    assert newest_item(stage, history) < 60


def test_a_base_that_is_gone_costs_one_full_write(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value = log_of()
    as_items(stage, history, value)
    stage.conn.execute("delete from pgagent.checkpoints")
    stage.conn.execute("delete from pgagent.checkpoint_blobs")
    stage.conn.execute("delete from pgagent.checkpoint_items")
    history.stored.clear()
    value.append(HumanMessage("more"))
    history.put(value)
    history.check()


def test_a_list_of_numbers_stays_whole(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value: list[Any] = [float(n) for n in range(1536)]
    for n in range(12):
        value[n] = -1.5
        history.put(value)
    history.check()
    assert stage.conn.execute("select count(*) from pgagent.checkpoint_items").fetchone() == (0,)


def test_runs_that_cost_more_than_the_value_are_gathered(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value: list[Any] = [{"n": n, "text": "x" * 40} for n in range(40)]
    for _ in range(12):
        value.append({"n": len(value), "text": "x" * 40})
        history.put(value)
    whole = len(history.stored)
    for n in range(60):
        value[(7 * n) % len(value)]["n"] = -n
        history.put(value)
    history.check()
    runs = stage.conn.execute(
        "select cardinality(runs) from pgagent.checkpoint_blobs where thread_id = %s "
        "order by version offset %s",
        (history.thread_id, whole),
    ).fetchall()
    assert len(runs) == 60
    assert 2 <= runs.count((1,)) <= 20


def test_a_copy_of_the_list_is_no_new_item(stage: Stage, saver: PgAgentSaver) -> None:
    history = History([saver])
    value = log_of()
    as_items(stage, history, value)
    before = newest_item(stage, history)
    history.put(copy.deepcopy(value))
    history.check()
    assert newest_item(stage, history) == before


def test_the_memory_is_bounded() -> None:
    memory = Memory(max_bytes=10_000)
    keys = [ChannelKey(f"t{n}", "", "log") for n in range(50)]
    for key in keys:
        memory.note(key, Known("1", "list", True, 0, b"x" * 1600, array("I", [1] * 100)))
    kept = [key for key in keys if memory.get(key)]
    assert kept == keys[-len(kept) :]
    assert 2 <= len(kept) <= 5


def buffers_of_a_read(stage: Stage, history: History) -> int:
    call = f"select * from pgagent.get_checkpoint('{history.thread_id}')"
    stage.conn.execute(call)
    found = stage.conn.execute(f"explain (analyze, buffers, format json) {call}").fetchone()
    assert found is not None
    return int(found[0][0]["Plan"]["Shared Hit Blocks"])


def test_a_read_costs_what_the_value_costs_whatever_the_history(
    stage: Stage, saver: PgAgentSaver
) -> None:
    history = History([saver])
    value = log_of(20)
    as_items(stage, history, value)

    def slide(times: int) -> int:
        for n in range(times):
            value.append(HumanMessage(f"{n} " * 60))
            del value[0]
            history.put(value)
        return buffers_of_a_read(stage, history)

    short = slide(100)
    assert slide(500) <= short + 4


def test_a_channel_that_does_not_change_costs_nothing(stage: Stage, saver: PgAgentSaver) -> None:
    graph = StateGraph(State).add_node("a", lambda state: {"log": ["x"]}).add_edge(START, "a")
    built = graph.compile(checkpointer=saver)
    built.invoke({"log": [], "note": ["y" * 500]}, thread(), durability="sync")
    for _ in range(5):
        built.invoke({"log": ["in"]}, thread(), durability="sync")
    assert stage.conn.execute(
        "select count(*) from pgagent.checkpoint_blobs where thread_id = 't' and channel = 'note'"
    ).fetchone() == (1,)


@pytest.mark.parametrize(
    ("new", "parts", "fresh"),
    [
        ("bcdx", [[1, 4], 1], [3]),
        ("dxy", [[3, 4], 2], [1, 2]),
        ("bcda", [[1, 4], [0, 1]], []),
        ("bcxd", [[1, 3], 1, [3, 4]], [2]),
        ("bcd", [[1, 4]], []),
    ],
)
def test_a_window_that_slides_is_what_it_keeps_and_what_came(
    new: str, parts: list[int | list[int]], fresh: list[int]
) -> None:
    def digests(text: str) -> bytes:
        return b"".join(letter.encode() * 16 for letter in text)

    assert difference(digests("abcd"), digests(new)) == (parts, fresh)
