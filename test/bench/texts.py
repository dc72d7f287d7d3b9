"""What the agents of the benchmarks say: recorded conversations, or letters by chance."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from pgagent.demo.recording import Recording, own

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LETTERS = 1_200


@dataclass(frozen=True)
class Text:
    """Messages by position: a user's first, then in turns the model's and what comes back."""

    name: str
    said: str
    messages: Sequence[AnyMessage]

    def at(self, position: int) -> AnyMessage:
        """A fresh copy of a message, without an id; past the end it begins anew."""
        return self.messages[position % len(self.messages)].model_copy()

    def raw_bytes(self, count: int) -> int:
        """Bytes of so many messages, each serialised once as the stock saver does."""
        serde = JsonPlusSerializer()
        return sum(len(serde.dumps_typed(self.at(n))[1]) for n in range(count))

    def text_bytes(self, count: int) -> int:
        """Bytes of what so many messages say: content and arguments, as UTF-8."""
        return sum(len(_text(self.at(n)).encode()) for n in range(count))


def recorded(path: Path | None) -> Text:
    """Recorded conversations, one after the other and without their system messages."""
    if path is None:
        name, recordings = "the package's own conversations", own(200)
    else:
        raw = path.read_bytes()
        lines = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode().splitlines()
        name = f"recorded conversations ({path.name})"
        recordings = [
            Recording.of(f"conversation-{number}", json.loads(line)["messages"])
            for number, line in enumerate(lines)
        ]
    return Text("real", name, list(itertools.chain.from_iterable(map(_in_turns, recordings))))


def by_chance(seed: int = 0) -> Text:
    """Random letters, which do not compress: of each message 1.2 kB."""
    chance = random.Random(seed)

    def letters() -> str:
        return "".join(chance.choices(string.ascii_letters, k=LETTERS))

    messages: list[AnyMessage] = [HumanMessage(letters())]
    for number in range(2_000):
        call: Any = {"name": "look_up", "args": {}, "id": f"call_{number}"}
        messages += [
            AIMessage(letters(), tool_calls=[call]),
            ToolMessage(letters(), tool_call_id=call["id"]),
        ]
    return Text("random", f"{LETTERS:,} random letters a message", messages)


def _in_turns(recording: Recording) -> Iterator[AnyMessage]:
    """An even number of messages of a conversation: another's, then the model's, and so on."""
    waiting = None
    for message in map(recording.at, range(len(recording.messages))):
        if isinstance(message, AIMessage):
            if waiting is not None:
                yield waiting
                yield message
            waiting = None
        elif message is not None and message.type != "system":
            waiting = message


def _text(message: AnyMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return f"{message.content}{''.join(json.dumps(call['args']) for call in calls)}"
