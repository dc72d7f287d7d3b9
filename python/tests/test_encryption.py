"""With an encrypting serializer nothing of a value is in the database or in the server's log."""

from __future__ import annotations

import dataclasses
import operator
import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from pgagent import (
    BadArgument,
    PgAgentError,
    PgAgentSaver,
    UnreadableValue,
    strict_serializer,
)
from pgagent.testing import Server
from support.checkpoints import checkpoint_of
from support.stage import Stage, thread

DOCS = Path(__file__).parents[2] / "docs" / "security.md"


def encrypting(key: str = "k" * 32) -> EncryptedSerializer:
    return EncryptedSerializer.from_pycryptodome_aes(strict_serializer(), key=key.encode())


@dataclasses.dataclass
class Note:
    text: str = "x"


class State(TypedDict):
    short: str
    long: str
    log: Annotated[list[str], operator.add]
    table: dict[str, Any]
    messages: Annotated[list[AnyMessage], add_messages]


SECRETS = {
    "short": "canary-of-a-short-string",
    "long": "canary-of-a-long-string",
    "item": "canary-of-an-item",
    "dict": "canary-of-a-dict",
    "key": "canary-of-a-dict-key",
    "message": "canary-of-a-message",
    "kwarg": "canary-of-a-keyword",
    "sent": "canary-of-a-sent-task",
    "question": "canary-of-a-question",
    "answer": "canary-of-an-answer",
    "error": "canary-of-an-error",
    "input": "canary-of-the-input",
    "refused": "canary-of-a-refused-value",
    "conflict": "canary-of-a-conflict",
}
READABLE = {
    "thread ids": "canary-of-a-thread",
    "metadata": "canary-of-metadata",
    "keys of metadata": "canary-of-a-metadata-key",
    "names of channels and nodes": "canary_of_a_node",
}


def graph_of(saver: PgAgentSaver) -> Any:
    fails = [True]

    def write(state: State) -> Any:
        return {
            "short": SECRETS["short"],
            "long": SECRETS["long"] * 20,
            "log": [SECRETS["item"] * 20],
            "table": {SECRETS["key"]: SECRETS["dict"] * 20},
            "messages": [
                AIMessage(SECRETS["message"] * 9, additional_kwargs={"x": SECRETS["kwarg"]})
            ],
        }

    def ask(state: State) -> Any:
        return {"log": [interrupt(SECRETS["question"])]}

    def fail(state: State) -> Any:
        if fails:
            fails.clear()
            raise ValueError(SECRETS["error"])
        return {}

    graph = StateGraph(State)
    for n in range(4):
        graph.add_node(f"write{n}", write)
    graph.add_node("ask", ask).add_node(READABLE["names of channels and nodes"], fail)
    graph.add_edge(START, "write0")
    for n in range(3):
        graph.add_edge(f"write{n}", f"write{n + 1}")
    graph.add_conditional_edges("write3", lambda s: [Send("ask", {"log": [SECRETS["sent"]]})])
    graph.add_edge("ask", READABLE["names of channels and nodes"])
    return graph.compile(checkpointer=saver)


def all_that_a_saver_does(dsn: str) -> None:
    """A run with a question and an error; reads; a value that is refused, and one in conflict."""
    name = READABLE["thread ids"]
    config: RunnableConfig = {
        **thread(name),
        "metadata": {READABLE["keys of metadata"]: READABLE["metadata"]},
    }
    with PgAgentSaver(dsn, serde=encrypting(), max_size=2) as saver:
        graph = graph_of(saver)
        graph.invoke({"messages": [HumanMessage(SECRETS["input"])]}, config, durability="sync")
        with pytest.raises(ValueError, match="canary"):
            graph.invoke(Command(resume=SECRETS["answer"]), config, durability="sync")
        graph.invoke(None, config)
    with PgAgentSaver(dsn, serde=encrypting(), max_size=2) as saver:
        state = graph_of(saver).get_state(config).values
        assert state["short"] == SECRETS["short"]
        assert state["table"] == {SECRETS["key"]: SECRETS["dict"] * 20}
        assert state["messages"][1].additional_kwargs == {"x": SECRETS["kwarg"]}
        assert SECRETS["answer"] in state["log"]
        assert len(list(saver.list(config))) >= 8
        latest = saver.get_tuple(thread(name))
        assert latest is not None
        said = []
        for value in ({"x": [SECRETS["refused"], threading.Lock()]}, SECRETS["conflict"] * 9):
            checkpoint = {**empty_checkpoint(), "channel_values": {"table": value}}
            version = {"table": latest.checkpoint["channel_versions"]["table"]}
            try:
                saver.put(latest.config, checkpoint, {}, version)  # type: ignore[arg-type]
            except PgAgentError as error:
                said.append(str(error))
    assert "channel 'table' cannot be stored: at ['x'][1]" in said[0]
    assert not any(canary in text for canary in SECRETS.values() for text in said)


@pytest.fixture
def traces(stage: Stage, pgagent_server: Server) -> Callable[[], dict[str, str]]:
    """Where values might show, from now on: the dump of the database, and the server's log."""
    name = stage.conn.info.dbname
    stage.conn.execute(f"alter database {name} set log_statement = 'all'")
    began = pgagent_server.log.stat().st_size

    def read() -> dict[str, str]:
        dump = subprocess.run(
            [pgagent_server.bin("pg_dump"), "--dbname", pgagent_server.dsn(name)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return {"dump": dump.stdout, "log": pgagent_server.log.read_text()[began:]}

    return read


def shows(text: str, canary: str) -> bool:
    """As it is, or as bytea is shown."""
    return canary in text or canary.encode().hex() in text.lower()


def test_only_what_the_documentation_names_shows_in_the_dump_and_in_the_log(
    stage: Stage, traces: Callable[[], dict[str, str]]
) -> None:
    all_that_a_saver_does(stage.dsn)
    found = traces()
    assert "put_checkpoint" in found["log"]
    for place, text in found.items():
        for name, canary in SECRETS.items():
            assert not shows(text, canary), f"{name} shows in the {place}"
    documented = DOCS.read_text().split("## Encryption")[1]
    for name, canary in READABLE.items():
        assert shows(found["dump"], canary), f"{name} is not there to be found"
        assert re.sub(r"\s+", " ", name) in documented


def test_without_encryption_all_of_it_shows(
    stage: Stage, traces: Callable[[], dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the search above could not find anything."""
    monkeypatch.setitem(globals(), "encrypting", strict_serializer)
    all_that_a_saver_does(stage.dsn)
    found = traces()
    hidden = {name for name, canary in SECRETS.items() if not shows(found["dump"], canary)}
    assert hidden == {"refused", "conflict"}
    unsaid = {name for name, canary in SECRETS.items() if not shows(found["log"], canary)}
    assert unsaid == {"refused"}


def test_what_is_equal_does_not_look_equal(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, serde=encrypting(), max_size=1) as saver:
        for name in ("t1", "t2"):
            checkpoint = checkpoint_of("1", it="x" * 100, log=["y" * 100], n=1)
            saver.put(thread(name, checkpoint_ns=""), checkpoint, {}, {"it": "1", "log": "1"})
            saver.put_writes(thread(name, checkpoint_id=checkpoint["id"]), [("it", "x")], "task")
    for table, column in (
        ("checkpoint_blobs", "blob"), ("checkpoint_writes", "blob"),
        ("checkpoints", "inline_values"),
    ):  # fmt: skip
        row = stage.conn.execute(
            f"select count(*), count(distinct {column}) from pgagent.{table}"
        ).fetchone()
        assert row is not None
        assert row[0] == row[1] >= 2
    digests = "select count(digest), count(digest_format) from pgagent.checkpoint_blobs"
    assert stage.conn.execute(digests).fetchone() == (0, 0)


# --- rows that are not encrypted


def put_plain(saver: PgAgentSaver, what: str) -> None:
    """A checkpoint with a value of one kind."""
    values: dict[str, Any] = {
        "whole": {"it": "x" * 100}, "large number": {"it": 2**70}, "inline": {"n": 1},
        "items": {"log": ["x" * 400]}, "write": {},
    }[what]  # fmt: skip
    config: Any = thread(checkpoint_ns="")
    for n in range(5):
        checkpoint = checkpoint_of(f"{n}", **values)
        config = saver.put(config, checkpoint, {}, dict.fromkeys(values, f"{n}"))
    if what == "write":
        saver.put_writes(config, [("it", 1)], "task")


KINDS = ["whole", "large number", "inline", "items", "write"]


@pytest.mark.parametrize("what", KINDS)
def test_a_row_that_is_not_encrypted_is_refused_unless_that_is_asked_for(
    stage: Stage, what: str
) -> None:
    with PgAgentSaver(stage.dsn, max_size=1) as saver:
        put_plain(saver, what)
        wanted = saver.get_tuple(thread())
    with PgAgentSaver(stage.dsn, serde=encrypting(), max_size=1) as saver:
        with pytest.raises(UnreadableValue, match="is not encrypted"):
            saver.get_tuple(thread())
        with pytest.raises(UnreadableValue, match="is not encrypted"):
            list(saver.list(thread()))
    with PgAgentSaver(stage.dsn, serde=encrypting(), plaintext=True, max_size=1) as saver:
        assert saver.get_tuple(thread()) == wanted


@pytest.mark.parametrize("what", KINDS)
def test_another_key_reads_nothing(stage: Stage, what: str) -> None:
    with PgAgentSaver(stage.dsn, serde=encrypting(), max_size=1) as saver:
        put_plain(saver, what)
        assert saver.get_tuple(thread()) is not None
    with (
        PgAgentSaver(stage.dsn, serde=encrypting("j" * 32), max_size=1) as saver,
        pytest.raises(UnreadableValue, match="another key"),
    ):
        saver.get_tuple(thread())


def test_a_thread_that_began_in_clear_goes_on_encrypted(stage: Stage) -> None:
    with PgAgentSaver(stage.dsn, max_size=1) as saver:
        put_plain(saver, "items")
    with PgAgentSaver(stage.dsn, serde=encrypting(), plaintext=True, max_size=1) as saver:
        found = saver.get_tuple(thread())
        assert found is not None
        checkpoint = checkpoint_of("9", log=["x" * 400, "canary" * 100])
        saver.put(found.config, checkpoint, {}, {"log": "9"})
        again = saver.get_tuple(thread())
        assert again is not None
        assert again.checkpoint["channel_values"]["log"] == ["x" * 400, "canary" * 100]
    kinds = stage.conn.execute("select type from pgagent.checkpoint_items order by seq").fetchall()
    assert kinds == [("msgpack",), ("msgpack+aes",)]


def test_types_are_listed_within_encryption_too(stage: Stage) -> None:
    def put(saver: PgAgentSaver) -> None:
        saver.put(thread(checkpoint_ns=""), checkpoint_of("1", it=Note()), {}, {"it": "1"})

    with PgAgentSaver(stage.dsn, serde=encrypting(), max_size=1) as saver:
        with pytest.raises(BadArgument, match="Note may not be loaded"):
            put(saver)
        allowed = saver.with_allowlist([(__name__, "Note")])
        put(allowed)
        found = allowed.get_tuple(thread())
        assert found is not None
        assert found.checkpoint["channel_values"] == {"it": Note()}
        with pytest.raises(UnreadableValue, match="Note"):
            saver.get_tuple(thread())
