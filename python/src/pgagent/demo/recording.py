"""Recorded conversations: what the agent is asked, answers and does, and how to tell it went so.

A message is known by its position in its conversation, and by nothing else: recordings and models
use one id for several calls, and make one call several times.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    ToolMessage,
    convert_to_messages,
    convert_to_openai_messages,
)

Effect = tuple[int, str, Any]
"""One executed call: the position of its result, the tool, its arguments."""


@dataclass(frozen=True)
class Recording:
    """One conversation, on a thread of its own."""

    thread_id: str
    messages: Sequence[BaseMessage]

    @classmethod
    def of(cls, thread_id: str, chat: Iterable[Mapping[str, Any]]) -> Recording:
        """Read a conversation in the format of OpenAI's chat; what is null may be left out.

        Raises:
            ValueError: when it cannot be replayed: a call has no result, or no readable arguments.
        """
        said = [{"content": None, **_without_nulls(message)} for message in chat]
        try:
            recording = cls(thread_id, convert_to_messages(said))
        except ValueError as error:  # arguments that are not JSON
            raise ValueError(f"{thread_id}: {error}") from error
        expected: list[str | None] = []
        for position, message in enumerate(recording.messages):
            problem = None
            if isinstance(message, ToolMessage):
                if not expected or expected.pop(0) != message.tool_call_id:
                    problem = "is the result of no call right before it"
            elif expected:
                problem = "comes before the results of the calls"
            elif isinstance(message, AIMessage):
                expected = [call["id"] for call in message.tool_calls]
            if problem:
                raise ValueError(f"{thread_id}: message {position} {problem}")
        if expected:
            raise ValueError(f"{thread_id}: the last call has no result")
        return recording

    def turns(self) -> Iterator[list[dict[str, Any]]]:
        """What each job is given: one user message, the first time after the system's."""
        turn: list[BaseMessage] = []
        for message in self.messages:
            if message.type in ("system", "human"):
                turn.append(message)
            if message.type == "human":
                yield _to_openai(turn)
                turn = []

    def at(self, position: int) -> AnyMessage | None:
        """A fresh copy of a message, without an id; None past the end."""
        if position >= len(self.messages):
            return None
        return self.messages[position].model_copy()  # type: ignore[return-value]

    @property
    def replies(self) -> list[int]:
        """Positions of what the model said."""
        return [i for i, message in enumerate(self.messages) if message.type == "ai"]

    @property
    def effects(self) -> list[Effect]:
        """What the tools did."""
        return [
            (position + 1 + index, call["name"], call["args"])
            for position, message in enumerate(self.messages)
            if isinstance(message, AIMessage)
            for index, call in enumerate(message.tool_calls)
        ]

    def difference(self, messages: Sequence[BaseMessage]) -> str | None:
        """The first difference of a thread from this recording, in words; None without any."""
        for position, (wanted, found) in enumerate(zip(self.messages, messages, strict=False)):
            if essence(wanted) != essence(found):
                return f"message {position} is {essence(found)}, recorded was {essence(wanted)}"
        if len(messages) != len(self.messages):
            return f"{len(messages)} messages, recorded were {len(self.messages)}"
        return None


def essence(message: BaseMessage) -> tuple[str, Any, list[tuple[str, Any]]]:
    """What makes two messages equal: role, content (None and '' alike), calls in order."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return message.type, message.content or "", [(call["name"], call["args"]) for call in calls]


def save(path: Path, recordings: Iterable[Recording]) -> None:
    """Write recordings to a file that `load` reads."""
    path.write_text(json.dumps({r.thread_id: _to_openai(r.messages) for r in recordings}))


def load(path: Path) -> dict[str, Recording]:
    """Read what `save` wrote, by thread."""
    chats: dict[str, Any] = json.loads(path.read_text())
    return {thread_id: Recording.of(thread_id, chat) for thread_id, chat in chats.items()}


def own(count: int) -> list[Recording]:
    """Return conversations of the package: its scenarios, each time with other particulars."""
    _, *scenarios = (Path(__file__).with_name("conversations.txt")).read_text().split("\n== ")
    return [
        Recording.of(
            f"conversation-{number + 1:02}",
            _parse(Template(scenarios[number % len(scenarios)]).substitute(_particulars(number))),
        )
        for number in range(count)
    ]


def _particulars(number: int) -> dict[str, str | int]:
    chance = random.Random(number)
    given = ("Ada", "Benoît", "Çelik", "Dunja", "Émile", "Fatou", "Grzegorz", "Hana", "Jörg")
    family = ("Abara", "Berg", "Costa", "Dvořák", "Eze", "Fontaine", "Gruber", "Haddad", "Itō")
    street = ("Mill Lane", "Harbour Road", "Church Square", "Long Acre", "Station Street")
    return {
        "name": f"{chance.choice(given)} {chance.choice(family)}",
        "street": f"{chance.choice(street)} {chance.randint(1, 120)}",
        "day": chance.choice(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")),
        "time": f"{chance.randint(8, 17):02}:{chance.choice(('00', '15', '30', '45'))}",
        "number": 1000 + number * 7,
        "code": f"{chance.choice('KLMNPQ')}{number:03}-{chance.randint(10, 99)}",
    }


def _parse(scenario: str) -> list[dict[str, Any]]:
    """Turn the lines of a scenario into chat messages. Call ids begin anew in every turn."""
    chat: list[dict[str, Any]] = []
    ids = 0
    unanswered: list[str] = []
    _, *lines = scenario.splitlines()
    for line in filter(None, map(str.strip, lines)):
        kind, _, text = line.partition(":")
        text = text.strip()
        if kind == "user":
            ids = 0
            chat.append({"role": "user", "content": text})
        elif kind == "agent":
            chat.append({"role": "assistant", "content": text})
        elif kind == "call":
            if chat[-1]["role"] != "assistant":
                chat.append({"role": "assistant", "content": None})
            ids += 1
            unanswered.append(f"call_{ids}")
            tool, _, arguments = text.partition(" ")
            function = {"name": tool, "arguments": arguments}
            call = {"id": unanswered[-1], "type": "function", "function": function}
            chat[-1].setdefault("tool_calls", []).append(call)
        elif kind == "result":
            answered = unanswered.pop(0)
            chat.append({"role": "tool", "tool_call_id": answered, "content": text})
        else:
            raise ValueError(f"neither user, agent, call nor result: {line}")
    return chat


def _without_nulls(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if value is not None}


def _to_openai(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    chat = convert_to_openai_messages(messages)
    return chat if isinstance(chat, list) else [chat]
