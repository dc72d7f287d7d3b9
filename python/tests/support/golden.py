"""Golden files: what a version of pgagent stored, for all later ones to read.

:mod:`support.make_golden` stores the threads below and writes ``data/golden-VERSION.json``: the
rows of the checkpoint tables. A thread that is added here is missing from earlier files; one that
is here is not changed, or the files that have it could not be checked.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import CheckpointTuple, empty_checkpoint
from langgraph.graph import START, StateGraph
from langgraph.types import Interrupt, Send
from psycopg import Connection
from psycopg.types.json import Jsonb
from pydantic import BaseModel
from typing_extensions import TypedDict

from pgagent import PgAgentSaver
from support.family import Graph
from support.same import same
from support.stage import thread

DATA = Path(__file__).parents[1] / "data"
TABLES = {
    "agent_sessions": ["thread_id", "fencing_token", "last_checkpoint_seq", "head_checkpoint_id"],
    "checkpoints": [],
    "checkpoint_blobs": [],
    "checkpoint_items": [],
    "checkpoint_writes": [],
}
"""What a file holds: some columns of a table, or all."""


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


class Model(BaseModel):
    it: Any


class Pair(NamedTuple):
    one: Any
    two: Any


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    SHORT = "short"


TYPES = [Point, Model, Pair, Colour, Word]


@dataclass
class Writes:
    """What a task of a checkpoint writes."""

    task: str
    values: list[tuple[str, Any]]
    path: str = ""


@dataclass
class Put:
    """A checkpoint: the values of all its channels; ``new`` ones get a new version."""

    id: str
    values: dict[str, Any]
    new: Sequence[str]
    parent: str | None = None
    ns: str = ""
    v: int = 4
    metadata: dict[str, Any] = field(default_factory=lambda: {"source": "loop", "step": 1})
    writes: list[Writes] = field(default_factory=list)
    sent: list[Any] | None = None
    """What a checkpoint of an old format was sent by its parent's writes."""
    digits: bool = False
    """Versions of 32 digits, as threads have that other savers began."""


def entry(n: int, letter: str = "x") -> dict[str, Any]:
    return {"text": f"{letter}{n} " * 80, "n": n, "more": [n, None, {"deep": True}]}


def lists() -> Iterator[Put]:
    """A list and a dict that grow, are edited, trimmed and branched: stored as items."""
    log: list[Any] = []
    facts: dict[str, Any] = {}
    stored: dict[str, tuple[list[Any], dict[str, Any]]] = {}

    def put(n: int, parent: int | None) -> Put:
        stored[f"c{n}"] = list(log), dict(facts)
        return Put(
            f"c{n}",
            {"log": list(log), "facts": dict(facts), "n": n},
            ["log", "facts", "n"],
            None if parent is None else f"c{parent}",
        )

    for n in range(1, 9):
        log.append(entry(n))
        facts[f"k{n}"] = entry(n, "f")
        yield put(n, n - 1 or None)
    log[2] = entry(2, "edited")
    facts["k3"] = None
    yield put(9, 8)
    del log[:3], facts["k1"]
    yield put(10, 9)
    log.insert(1, "short")
    yield put(11, 10)
    log, facts = (type(x)(x) for x in stored["c5"])  # type: ignore[call-overload]
    log.append(entry(99, "branch"))
    yield put(12, 5)


def messages() -> Iterator[Put]:
    """A conversation with calls of tools."""
    said: list[Any] = [SystemMessage("You help.", id="s")]
    for n in range(1, 9):
        said += [
            HumanMessage(f"question {n} " * 30, id=f"h{n}", name="Ann"),
            AIMessage(
                [{"type": "text", "text": f"answer {n} " * 30}],
                id=f"a{n}",
                tool_calls=[{"name": "look", "args": {"n": n, "x": 1.5}, "id": f"call{n}"}],
                usage_metadata={"input_tokens": n, "output_tokens": 2, "total_tokens": n + 2},
                response_metadata={"model": "m", "nested": {"a": [1, 2]}},
            ),
            ToolMessage(f"found {n}", id=f"t{n}", tool_call_id=f"call{n}", artifact={"n": n}),
        ]
        yield Put(f"c{n}", {"messages": list(said)}, ["messages"], f"c{n - 1}" if n > 1 else None)


def blobs() -> Iterator[Put]:
    """Values that are stored whole."""
    moment = datetime.datetime(2026, 2, 3, 4, 5, 6, 789, datetime.UTC)
    values = {
        "bytes": bytes(range(256)),
        "bytearray": bytearray(b"abc"),
        "text": "ein langer Text \N{SNOWMAN} \x00 " * 20,
        "lists": [[1, 2], [3]],
        "sets": [{1, 2}, frozenset({"a"})],
        "deque": deque([1, 2]),
        "times": [moment, moment.date(), moment.time(), datetime.timedelta(hours=3)],
        "ids": [uuid.UUID(int=7), decimal.Decimal("1.50"), Path("/tmp/x")],
        "point": Point(1, [Point(2)]),
        "model": Model(it={"a": 1}),
        "pair": Pair(1, "two"),
        "colours": [Colour.RED, Word.SHORT],
        "numbers": [0.1 * n for n in range(200)],
        "keys that are no text": {1: "a", None: "b"},
        "document": Document("text", metadata={"a": 1}),
        "nothing in it": [[], {}, ""],
        "word": Word.SHORT,
    }
    yield Put("c1", values, list(values), metadata={"source": "input", "step": -1, "who": "Ann"})


def inline() -> Iterator[Put]:
    """Values that stand in the checkpoint's row, and those that only look so."""
    values = {
        "none": None, "true": True, "false": False, "zero": 0, "below": -1, "float": 1.5,
        "minus zero": -0.0, "nan": math.nan, "inf": math.inf, "empty": "", "text": "sixty-four",
        "nul": "a\x00b", "long": 2**63 - 1, "huge": 10**40, "below huge": -(2**70),
        "surrogate": "a\ud800b",
    }  # fmt: skip
    yield Put("c1", values, list(values))


def written() -> Iterator[Put]:
    """What tasks wrote, special writes too."""
    yield Put(
        "c1", {"log": ["in"]}, ["log"],
        writes=[
            Writes("a", [("log", ["x"]), ("note", None), ("big", b"b" * 5000)], "~1"),
            Writes("b", [("__error__", "ValueError('no')")], "~2"),
            Writes("c", [("__interrupt__", [Interrupt(value={"q": "?"}, id="i1")])], "~3"),
            Writes("d", [("__pregel_tasks", Send("work", {"n": 1})), ("log", [Point(1)])], "~4"),
        ],
    )  # fmt: skip


def namespaces() -> Iterator[Put]:
    """Subgraphs."""
    yield Put("c1", {"log": ["root"]}, ["log"])
    for n, ns in enumerate(("sub", "call:3f", "call:3f|deep:4e")):
        metadata = {"source": "loop", "step": n, "parents": {"": "c1"}}
        yield Put(f"s{n}", {"log": [ns]}, ["log"], ns=ns, metadata=metadata)


def old() -> Iterator[Put]:
    """Of the format before 4: what a step was sent lies in the writes of the parent."""
    sends = [Send("work", n) for n in range(2)]
    yield Put(
        "c1", {"log": ["a"]}, ["log"], v=3,
        writes=[Writes("t", [("log", ["x"]), *(("__pregel_tasks", s) for s in sends)], "~1")],
    )  # fmt: skip
    yield Put("c2", {"log": ["a", "x"]}, ["log"], "c1", v=3, sent=sends)


def digits() -> Iterator[Put]:
    """With versions that another saver began."""
    for n in (1, 2):
        yield Put(f"c{n}", {"log": ["a"] * n}, ["log"], "c1" if n > 1 else None, digits=True)


THREADS = {
    "lists": lists, "messages": messages, "blobs": blobs, "inline": inline, "written": written,
    "namespaces": namespaces, "old": old, "digits": digits,
}  # fmt: skip
DELTA = ["in 0", "0", "in 1", "1", "in 2", "2"]


def extended(log: list[str], writes: list[list[str]]) -> list[str]:
    return [*log, *(item for write in writes for item in write)]


class DeltaState(TypedDict):
    log: Annotated[list[str], DeltaChannel(extended, snapshot_frequency=4)]


def delta_graph(saver: PgAgentSaver) -> Graph:
    """One whose state is rebuilt from what was written."""
    graph = StateGraph(DeltaState)
    graph.add_node("a", lambda state: {"log": [str(len(state["log"]) // 2)]})
    return graph.add_edge(START, "a").compile(checkpointer=saver)


def saver_on(conn: Connection[Any]) -> PgAgentSaver:
    return PgAgentSaver(conn, allow=TYPES)


def store(saver: PgAgentSaver) -> None:
    """Stores the threads."""
    for thread_id, puts in THREADS.items():
        versions: dict[str, dict[str, str]] = {}
        for put in puts():
            known = dict(versions.get(put.parent or "", {}))
            new = {c: _next(saver, known.get(c), put) for c in put.new}
            versions[put.id] = known | new
            checkpoint = empty_checkpoint()
            checkpoint.update(v=put.v, id=put.id)
            checkpoint["channel_values"] = dict(put.values)
            checkpoint["channel_versions"] = dict(versions[put.id])
            config = saver.put(
                thread(thread_id, checkpoint_ns=put.ns, **_id(put.parent)),
                checkpoint,
                put.metadata,  # type: ignore[arg-type]
                new,
            )
            for writes in put.writes:
                saver.put_writes(config, writes.values, writes.task, writes.path)
    for n in range(3):
        delta_graph(saver).invoke({"log": [f"in {n}"]}, thread("delta"), durability="sync")


def _next(saver: PgAgentSaver, current: str | None, put: Put) -> str:
    if current is None and put.digits:
        return f"{1:032}.0123456789abcdef"
    return saver.get_next_version(current, None)


def _id(checkpoint_id: str | None) -> dict[str, str]:
    return {} if checkpoint_id is None else {"checkpoint_id": checkpoint_id}


def faults(thread_id: str, put: Put, found: CheckpointTuple | None) -> Iterator[str]:
    """What is not read as it was stored."""
    where = f"{thread_id}/{put.ns}/{put.id}"
    if found is None:
        yield f"{where}: is not there"
        return
    values = dict(put.values)
    if put.sent is not None:
        values["__pregel_tasks"] = put.sent
    read = found.checkpoint["channel_values"]
    for channel in values.keys() | read.keys():
        if not (channel in read and channel in values and same(values[channel], read[channel])):
            yield f"{where}: {channel}: {values.get(channel)!r} is {read.get(channel)!r}"
    metadata: Any = found.metadata
    if not same(put.metadata, {key: metadata.get(key) for key in put.metadata}):
        yield f"{where}: metadata {found.metadata}"
    parent = found.parent_config and found.parent_config["configurable"]["checkpoint_id"]
    if parent != put.parent:
        yield f"{where}: parent {parent}"
    writes = [(w.task, channel, value) for w in put.writes for channel, value in w.values]
    if not same(writes, list(found.pending_writes or [])):
        yield f"{where}: {writes} is {found.pending_writes}"


def dump(conn: Connection[Any]) -> dict[str, list[Any]]:
    """The rows of the tables, as JSON."""
    return {
        table: [
            row
            for (row,) in conn.execute(
                f"select to_jsonb(t) from (select {', '.join(columns) or '*'} from pgagent.{table}"
                " order by thread_id) as t"
            )
        ]
        for table, columns in TABLES.items()
    }


def restore(conn: Connection[Any], tables: dict[str, list[Any]]) -> None:
    """Stores rows again; columns that they do not have get their defaults."""
    for table, rows in tables.items():
        columns = ", ".join(f'"{name}"' for name in rows[0])
        conn.execute(
            f"insert into pgagent.{table} ({columns}) select {columns}"
            f" from jsonb_populate_recordset(null::pgagent.{table}, %s)",
            (Jsonb(rows),),
        )
