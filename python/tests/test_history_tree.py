"""The tree of a thread in the terminal: against trees drawn by hand, and on threads of graphs."""

from __future__ import annotations

import dataclasses
import json
import operator
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from typer.testing import CliRunner
from typing_extensions import TypedDict

from pgagent import PgAgentSaver
from pgagent.calls import StoredCheckpoint
from pgagent.cli import app
from pgagent.history import Tree, age, changes, lines, printable, size, text, told
from pgagent.saver.shown import Opaque
from support.family import Graph
from support.stage import Stage, thread

NOW = datetime(2025, 1, 1, tzinfo=UTC)

# Child and parent, newest first, and how it is drawn.
DRAWN = {
    "one": ("a-", "* a"),
    "line": ("cb ba a-", "* c\n* b\n* a"),
    "fork": (
        "ed db cb ba a-",
        """
        * e
        * d
        | * c
        |/
        * b
        * a
        """,
    ),
    "fork_that_is_left": (
        "dc cb eb ba a-",
        """
        * d
        * c
        | * e
        |/
        * b
        * a
        """,
    ),
    "one_that_waits_on_the_right": (
        "cx ba xa a-",
        """
        * c
        | * b
        * | x
        |/
        * a
        """,
    ),
    "branches_that_take_turns": (
        "fe dc eb cb ba a-",
        """
        * f
        | * d
        * | e
        | * c
        |/
        * b
        * a
        """,
    ),
    "three_of_one": (
        "da ca ba a-",
        """
        * d
        | * c
        |/
        | * b
        |/
        * a
        """,
    ),
    "over_another": (
        "da eb fb ca ba a-",
        """
        * d
        | * e
        | | * f
        | |/
        | | * c
        | |/
        |/|
        | * b
        |/
        * a
        """,
    ),
    "over_two_others": (
        "pa qb rc sa ba ca a-",
        """
        * p
        | * q
        | | * r
        | | | * s
        | |_|/
        |/| |
        | * | b
        |/ /
        | * c
        |/
        * a
        """,
    ),
    "with_others_on_the_right": (
        "xa yb zc tu ba ca ua a-",
        """
        * x
        | * y
        | | * z
        | | | * t
        | * | | b
        |/ / /
        | * | c
        |/ /
        | * u
        |/
        * a
        """,
    ),
    "several_roots": (
        "xr ys zt r- t- s-",
        """
        * x
        | * y
        | | * z
        * | | r
         / /
        | * t
        * s
        """,
    ),
}


def drawing(tree: Tree, pairs: list[str]) -> str:
    found = []
    for child, parent in pairs:
        drawn = tree.draw(child, None if parent == "-" else parent)
        found += [f"{drawn.beside} {child}", *drawn.below]
    return "\n".join(found)


@pytest.mark.parametrize("name", DRAWN)
def test_a_tree_is_drawn_as_by_hand(name: str) -> None:
    pairs, expected = DRAWN[name]
    by_hand = "\n".join(line.removeprefix("        ") for line in expected.strip("\n").split("\n"))
    assert drawing(Tree(), pairs.split()) == by_hand.rstrip()


def test_a_tree_goes_on_with_the_next_page() -> None:
    pairs = DRAWN["over_two_others"][0].split()
    whole = drawing(Tree(), pairs)
    for cut in range(1, len(pairs)):
        tree = Tree()
        assert f"{drawing(tree, pairs[:cut])}\n{drawing(tree, pairs[cut:])}" == whole


def a_checkpoint(id_: str, parent: str | None, **more: Any) -> StoredCheckpoint:
    found = StoredCheckpoint(
        "t", "", id_, parent, 7, 3, "loop", ["agent", "tools"], {}, None, NOW - timedelta(hours=5)
    )
    return dataclasses.replace(found, **more)


def drawn_lines(*checkpoints: StoredCheckpoint, **options: Any) -> list[str]:
    found = lines(checkpoints, {"b": 1234}, tree=Tree(), now=NOW, **options)
    return ["".join(part for part, _ in line) for line in found]


def test_a_line_tells_number_step_source_nodes_size_age_and_id() -> None:
    assert drawn_lines(a_checkpoint("b", None)) == [
        "* #7 step 3 loop agent tools 1.2 kB, 5 h ago b"
    ]
    assert drawn_lines(a_checkpoint("c", None, step=None, source=None, nodes=[])) == [
        "* #7 step ? ? ? B, 5 h ago c"
    ]


def test_marks_tell_branches_on_purpose_from_races_and_say_where_history_was_cut() -> None:
    found = drawn_lines(
        a_checkpoint("d", "a", passed_by="c", is_deliberate=True),
        a_checkpoint("c", "a", passed_by="b", is_deliberate=False),
        a_checkpoint("e", "a"),
        stored={"c", "d", "e"},
        latest="d",
    )
    assert [
        line.partition(" tools")[2].partition(" ? B")[0] for line in found if "tools" in line
    ] == [
        " (latest) (branch, on purpose) (older ones are not stored)",
        " (branch, another had come first: b) (older ones are not stored)",
        " (older ones are not stored)",
    ]


def test_nothing_that_is_shown_steers_the_terminal() -> None:
    evil = "\x1b[2Jx\r\n\u202e"
    line = drawn_lines(a_checkpoint(evil, None, source=evil, nodes=[evil]))
    found = [*line, text(evil), text([evil]), text({evil: HumanMessage(evil)}), text(Odd())]
    found += ["".join(part for part, _ in line) for line in told(changes({evil: 1}, {}))]
    assert all(said.isprintable() for said in found)
    assert printable(evil) == "\\x1b[2Jx\\r\\n\\u202e"


class Odd:
    def __repr__(self) -> str:
        return "\x1b[31m"


def test_sizes_and_ages_are_as_people_read_them() -> None:
    assert [size(n) for n in (0, 999, 1000, 123_456, 2_500_000, 10**13)] == [
        "0 B", "999 B", "1.0 kB", "123 kB", "2.5 MB", "10000 GB",
    ]  # fmt: skip
    assert [age(timedelta(seconds=n)) for n in (-5, 0, 59, 60, 7200, 10**6)] == [
        "0 s ago", "0 s ago", "59 s ago", "1 min ago", "2 h ago", "11 d ago",
    ]  # fmt: skip


def test_changes_are_told_channel_by_channel() -> None:
    one = {"log": ["a", "b", "c"], "n": 1, "gone": None, "d": {"x": 1, "y": 2}, "same": [1]}
    other = {"log": ["a", "c", "e"], "n": True, "new": "", "d": {"x": 1, "z": 3}, "same": [1]}
    assert ["".join(part for part, _ in line) for line in told(changes(one, other))] == [
        '- d["y"] = 2',
        '+ d["z"] = 3',
        "- gone = None",
        '- log[1] = "b"',
        '+ log[2] = "e"',
        "- n = 1",
        "+ n = True",
        '+ new = ""',
    ]


def test_a_long_value_is_cut_and_a_change_behind_the_cut_is_a_change() -> None:
    (change,) = changes({"a": "x" * 999}, {"a": "x" * 998 + "y"})
    assert change.before == f'"{"x" * 179}... (1,001 long)'
    assert not list(changes({"a": "x" * 999}, {"a": "x" * 999}))


def test_messages_are_told_by_what_they_say() -> None:
    call = {"name": "pay", "args": {"eur": 5}, "id": "c1"}
    said = text(AIMessage("hello", id="m1", tool_calls=[call]))
    assert said.startswith('ai {"id": "m1", "content": "hello", "tool_calls": [{"name": "pay"')


def test_what_is_not_loaded_is_told_by_its_digest() -> None:
    one, same, other = (Opaque("holds a type", 9, digest) for digest in ("d1", "d1", "d2"))
    assert not list(changes({"a": one}, {"a": same}))
    (change,) = changes({"a": [one]}, {"a": [other]})
    assert change.after == "<holds a type, 9 bytes, d2>"


# --- on threads of graphs


class Colour(Enum):
    RED = 1
    BLUE = 2


class State(TypedDict):
    log: Annotated[list[str], operator.add]
    messages: Annotated[list[AnyMessage], add_messages]
    colour: Any


@pytest.fixture
def saver(stage: Stage) -> Iterator[PgAgentSaver]:
    with PgAgentSaver(stage.dsn, max_size=4, serde=JsonPlusSerializer()) as saver:
        yield saver


def build(saver: PgAgentSaver) -> Graph:
    inner = StateGraph(State)
    inner.add_node("s", lambda _: {"log": ["s"]}).add_edge(START, "s")
    graph = StateGraph(State)
    graph.add_node("a", lambda s: {"log": ["a"], "colour": list(Colour)[len(s["log"]) % 2]})
    graph.add_node("sub", inner.compile(checkpointer=True))
    graph.add_edge(START, "a").add_edge("a", "sub")
    return graph.compile(checkpointer=saver)


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["history", *arguments])
    return done.exit_code, done.output


@pytest.fixture
def forked(stage: Stage, saver: PgAgentSaver) -> Stage:
    """Thread t: a run, an update of an old checkpoint, and a run that went on from there."""
    graph = build(saver)
    graph.invoke(
        {"log": ["in"], "messages": [HumanMessage("hi", id="m")]}, thread(), durability="sync"
    )
    (after_a,) = (s for s in graph.get_state_history(thread()) if s.next == ("sub",))
    config = graph.update_state(after_a.config, {"log": ["edited"]})
    graph.invoke(None, config, durability="sync")
    return stage


def test_a_thread_with_a_fork_is_drawn_with_its_marks(forked: Stage) -> None:
    code, said = run("t", "--dsn", forked.dsn)
    assert code == 0
    found = said.splitlines()
    shape = [line[: line.index("#")].rstrip() for line in found if "#" in line and "*" in line]
    assert shape == ["*", "*", "| *", "*", "*", "*"]
    assert found[0].startswith("* #")
    assert "(latest)" in found[0]
    assert "step 3 loop sub" in found[0]
    assert "update" in found[1]
    assert "(branch, on purpose)" in found[1]
    assert "another had come first" not in said
    assert found[-1].startswith("other namespace: sub, latest #")
    assert "\x1b" not in said


def test_a_race_is_marked_as_one(stage: Stage, saver: PgAgentSaver) -> None:
    graph = build(saver)
    graph.invoke({"log": ["in"]}, thread(), durability="sync")
    newest, older = list(saver.list(thread(checkpoint_ns=""), limit=2))
    late = {**newest.checkpoint, "id": "1ffed369-23b2-6540-8001-4b6ae198fb1c"}
    saver.put(older.config, late, newest.metadata, {})
    said = run("t", "--dsn", stage.dsn)[1].splitlines()
    mark = newest.config["configurable"]["checkpoint_id"]
    assert f"(branch, another had come first: {mark})" in said[0]
    assert said[2].startswith("|/")


def test_a_subgraph_is_drawn_by_its_namespace(forked: Stage) -> None:
    code, said = run("t", "--namespace", "sub", "--dsn", forked.dsn)
    assert code == 0
    assert " loop s " in said
    assert "other namespace: (the graph itself), latest #" in said


def test_it_goes_page_by_page(forked: Stage) -> None:
    whole = [
        line.split()[-1] for line in run("t", "--dsn", forked.dsn)[1].splitlines() if "*" in line
    ]
    found: list[str] = []
    before: list[str] = []
    for _ in range(10):
        said = run("t", "-n", "2", "--dsn", forked.dsn, *before)[1].splitlines()
        found += [line.split()[-1] for line in said if "*" in line]
        more = [line for line in said if line.startswith("... older ones: ")]
        if not more:
            break
        before = more[0].split()[-2:]
    assert found == whole


def test_json_has_all_of_it(forked: Stage) -> None:
    found = json.loads(run("t", "--json", "--dsn", forked.dsn)[1])
    assert found["other_namespaces"] == ["sub"]
    assert found["before"] is None
    newest, update, *rest = found["checkpoints"]
    assert len(rest) == 4
    assert newest["nodes"] == ["sub"]
    assert update["is_deliberate"] is True
    assert update["passed_by"] == rest[0]["checkpoint_id"]
    assert all(c["bytes"] > 100 for c in found["checkpoints"])


def test_a_diff_tells_what_changed_and_loads_no_type_that_is_not_listed(forked: Stage) -> None:
    tree = json.loads(run("t", "--json", "--dsn", forked.dsn)[1])["checkpoints"]
    _, first, *_ = reversed(tree)
    code, said = run("t", "--diff", str(first["seq"]), f"#{tree[0]['seq']}", "--dsn", forked.dsn)
    assert code == 0
    found = said.splitlines()
    assert '+ log[1] = "a"' in found
    assert '+ log[2] = "edited"' in found
    (colour,) = (line for line in found if line.startswith("+ colour"))
    assert "holds a type that may not be loaded: " in colour
    assert colour.endswith(">")
    as_json = json.loads(
        run("t", "--json", "--diff", first["checkpoint_id"], tree[0]["checkpoint_id"], "--dsn",
            forked.dsn)[1]
    )  # fmt: skip
    assert {change["channel"] for change in as_json} >= {"log", "colour"}
    assert run("t", "--diff", "1", "1", "--dsn", forked.dsn)[1] == "no channel has another value\n"


@pytest.mark.parametrize(
    "arguments", [["nowhere"], ["t", "--diff", "1", "999"], ["t", "--diff", "x", "1"]]
)
def test_what_is_not_there_is_said(forked: Stage, arguments: list[str]) -> None:
    code, said = run(*arguments, "--dsn", forked.dsn)
    assert code == 1
    assert "PA003" in said


def test_a_tenant_sees_its_own_threads(
    forked: Stage, pgagent_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked.conn.execute("create role history_tenant login")
    forked.conn.execute("select pgagent.grant_access('history_tenant', 'tenant')")
    forked.conn.execute("update pgagent.agent_sessions set user_id = 'alice'")
    try:
        dsn = pgagent_server.dsn(forked.conn.info.dbname, user="history_tenant")
        for name, code in (("alice", 0), ("bob", 1)):
            monkeypatch.setenv("PGOPTIONS", f"-c pgagent.user_id={name}")
            assert run("t", "--dsn", dsn)[0] == code
    finally:
        forked.conn.execute("drop owned by history_tenant")
        forked.conn.execute("drop role history_tenant")


def test_colours_are_for_terminals(forked: Stage) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pgagent.cli", "history", "t", "--dsn", forked.dsn],
        capture_output=True,
        check=True,
    )
    assert b"\x1b" not in done.stdout
    script = f"{sys.executable} -m pgagent.cli history t --dsn '{forked.dsn}'"
    done = subprocess.run(
        ["script", "-qec", script, "/dev/null"],
        capture_output=True,
        check=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    assert b"\x1b[" in done.stdout
