"""The history of a thread as text: its tree, as ``git log --graph`` draws one, and what changed.

Nothing here asks the server. Names and values that are shown may come from anybody: what does not
print is escaped, so that none of it steers a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from langchain_core.messages import BaseMessage

from pgagent.calls import StoredCheckpoint
from pgagent.saver.shown import Opaque

Kind = Literal["", "tree", "number", "id", "good", "bad", "dim"]

Part = tuple[str, Kind]
"""A piece of a line, and what it is: the command line gives it a colour by that."""

Line = list[Part]


class Drawn(NamedTuple):
    """What stands left of a checkpoint, and in lines of their own below it."""

    beside: str
    below: list[str]


class Tree:
    """Draws a tree from its leaves on, newest first; remembers which branches are open.

    Each open branch has a column and waits for its next ancestor. A branch that waits for the same
    one as another is led there at once.
    """

    def __init__(self) -> None:
        self._columns: list[str] = []

    def draw(self, id_: str, parent_id: str | None) -> Drawn:
        """The next checkpoint; without a parent its branch ends here."""
        if id_ not in self._columns:
            self._columns.append(id_)
        place = self._columns.index(id_)
        beside = " ".join("*" if n == place else "|" for n in range(len(self._columns)))
        if parent_id is None:
            return Drawn(beside, self._close(place))
        if parent_id not in self._columns:
            self._columns[place] = parent_id
            return Drawn(beside, [])
        other = self._columns.index(parent_id)
        return Drawn(beside, self._join(min(place, other), max(place, other), parent_id))

    def _close(self, place: int) -> list[str]:
        del self._columns[place]
        right = range(place + 1, len(self._columns) + 1)
        if not right:
            return []
        return [_row({2 * n: "|" for n in range(place)} | {2 * n - 1: "/" for n in right})]

    def _join(self, left: int, right: int, waits_for: str) -> list[str]:
        self._columns[left] = waits_for
        del self._columns[right]
        bars = {2 * n: "|" for n in range(right)}
        moved = {2 * n - 1: "/" for n in range(right, len(self._columns) + 1)}
        if right == left + 1:
            return [_row(bars | moved)]
        across = {2 * n + 1: "_" for n in range(left + 1, right - 1)}
        after = {2 * n: "|" for n in range(len(self._columns))}
        return [_row(bars | across | moved), _row(after | {2 * left + 1: "/"})]


def _row(marks: Mapping[int, str]) -> str:
    return "".join(marks.get(n, " ") for n in range(max(marks) + 1))


def lines(
    checkpoints: Iterable[StoredCheckpoint],
    sizes: Mapping[str, int],
    *,
    tree: Tree,
    now: datetime,
    stored: set[str] | None = None,
    latest: str | None = None,
) -> Iterator[Line]:
    """The tree of some checkpoints of one namespace, newest first, a line a checkpoint or more.

    ``stored``: the ids that there are, when no older ones follow: a parent that is none of them
    was removed. ``latest``: the id that a run would go on from.
    """
    for c in checkpoints:
        parent_id = c.parent_checkpoint_id
        is_cut = parent_id is not None and stored is not None and parent_id not in stored
        drawn = tree.draw(c.checkpoint_id, None if is_cut else parent_id)
        marks = list(_marks(c, is_latest=c.checkpoint_id == latest, is_cut=is_cut))
        nodes: Part = ("".join(f" {printable(node)}" for node in c.nodes), "good")
        yield [
            (drawn.beside, "tree"),
            (f" #{c.seq}", "number"),
            (f" step {'?' if c.step is None else c.step} {printable(c.source or '?')}", ""),
            nodes,
            *marks,
            (f" {size(sizes.get(c.checkpoint_id))}, {age(now - c.created_at)}", "dim"),
            (f" {printable(c.checkpoint_id)}", "id"),
        ]
        for below in drawn.below:
            yield [(below, "tree")]


def _marks(c: StoredCheckpoint, *, is_latest: bool, is_cut: bool) -> Iterator[Part]:
    if is_latest:
        yield " (latest)", "number"
    if c.passed_by is not None and c.is_deliberate:
        yield " (branch, on purpose)", "number"
    elif c.passed_by is not None:
        yield f" (branch, another had come first: {printable(c.passed_by)})", "bad"
    if is_cut:
        yield " (older ones are not stored)", "dim"


def size(many: int | None) -> str:
    """Bytes as people read them."""
    if many is None:
        return "? B"
    amount, unit = float(many), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"


def age(past: timedelta) -> str:
    """How long ago, as people say it."""
    seconds = max(int(past.total_seconds()), 0)
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return f"{seconds} s ago"


def as_json(c: StoredCheckpoint, bytes_: int | None) -> dict[str, Any]:
    """A checkpoint as JSON has it."""
    return {
        "checkpoint_id": c.checkpoint_id,
        "parent_checkpoint_id": c.parent_checkpoint_id,
        "seq": c.seq,
        "step": c.step,
        "source": c.source,
        "nodes": c.nodes,
        "bytes": bytes_,
        "created_at": c.created_at.isoformat(),
        "job_id": None if c.job_id is None else str(c.job_id),
        "passed_by": c.passed_by,
        "is_deliberate": c.is_deliberate,
        "metadata": c.metadata,
    }


# --- what changed


class Change(NamedTuple):
    """How a channel, or a part of one, differs. ``path``: which part; empty for all of it."""

    channel: str
    path: str
    before: str | None
    after: str | None


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """What differs between the values of two checkpoints, channel by channel.

    A list or a dict that is one in both is told by its elements, everything else as a whole.
    """
    for channel in sorted({*before, *after}):
        one, other = before.get(channel, _NOTHING), after.get(channel, _NOTHING)
        if isinstance(one, list) and isinstance(other, list):
            yield from _changed_items(channel, one, other)
        elif isinstance(one, dict) and isinstance(other, dict):
            for key in {**one, **other}:
                yield from _changed(
                    channel, f"[{text(key)}]", one.get(key, _NOTHING), other.get(key, _NOTHING)
                )
        else:
            yield from _changed(channel, "", one, other)


_NOTHING = object()


def _changed(channel: str, path: str, one: Any, other: Any) -> Iterator[Change]:
    if not _same(one, other):
        shown = [None if value is _NOTHING else text(value) for value in (one, other)]
        yield Change(channel, path, *shown)


def _same(one: Any, other: Any) -> bool:
    if one is _NOTHING or other is _NOTHING:
        return one is other
    return _key(one) == _key(other)


def _key(value: Any) -> str:
    """What two values are told apart by: all of what would be shown, and the class."""
    return f"{type(value).__qualname__}:{_repr(value)}"


def _changed_items(channel: str, one: Sequence[Any], other: Sequence[Any]) -> Iterator[Change]:
    matcher = SequenceMatcher(None, list(map(_key, one)), list(map(_key, other)), autojunk=False)
    for tag, low, high, other_low, other_high in matcher.get_opcodes():
        if tag == "equal":
            continue
        for n in range(max(high - low, other_high - other_low)):
            before = low + n if low + n < high else None
            after = other_low + n if other_low + n < other_high else None
            yield Change(
                channel,
                f"[{after if before is None else before}]",
                None if before is None else text(one[before]),
                None if after is None else text(other[after]),
            )


def told(found: Iterable[Change]) -> Iterator[Line]:
    """Changes as lines: what went, what came."""
    for change in found:
        name = printable(change.channel) + change.path
        if change.before is not None:
            yield [(f"- {name} = {change.before}", "bad")]
        if change.after is not None:
            yield [(f"+ {name} = {change.after}", "good")]


_LONGEST = 200


def text(value: Any) -> str:
    """A value in one short line that prints."""
    whole = printable(_repr(value))
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 20]}... ({len(whole):,} long)"


def _repr(value: Any) -> str:
    match value:
        case Opaque():
            return f"<{value.said}, {value.size:,} bytes, {value.digest}>"
        case BaseMessage():
            told = {"id": value.id, "content": value.content}
            for name in ("name", "tool_calls", "tool_call_id", "additional_kwargs"):
                if found := getattr(value, name, None):
                    told[name] = found
            return f"{value.type} {_repr(told)}"
        case dict():
            return "{" + ", ".join(f"{_repr(k)}: {_repr(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_repr, value)) + "]"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return repr(value)


def printable(said: str) -> str:
    """A text without characters that do not print: escapes and line ends are spelled out."""
    if said.isprintable():
        return said
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in said
    )
