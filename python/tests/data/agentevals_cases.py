"""Writes agentevals.json: comparisons of trajectories, and what the package agentevals answers.

Run in an environment of its own (agentevals brings much along), when a case is added:

    python -m venv /tmp/agentevals && /tmp/agentevals/bin/pip install agentevals
    /tmp/agentevals/bin/python python/tests/data/agentevals_cases.py
"""

from __future__ import annotations

import copy
import itertools
import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agentevals.trajectory.match import create_trajectory_match_evaluator

MODES = ("strict", "unordered", "subset", "superset")
ARGS = ("exact", "ignore", "subset", "superset")

Message = dict[str, Any]


def said(role: str, *calls: tuple[str, dict[str, Any]]) -> Message:
    """A message with tool calls."""
    message: Message = {"role": role, "content": "x"}
    if calls:
        message["tool_calls"] = [{"name": name, "args": args} for name, args in calls]
    return message


BASE = [
    said("user"),
    said("assistant", ("find", {"city": "Bern", "days": 2}), ("find", {"city": "Bern"})),
    said("tool"),
    said("tool"),
    said("assistant", ("book", {"room": {"id": 7, "view": "lake"}, "price": 1.5})),
    said("tool"),
    said("assistant"),
]


def variants() -> list[list[Message]]:
    """Trajectories that differ from the base in one thing."""
    found = []

    def change(edit: Any) -> None:
        made = copy.deepcopy(BASE)
        edit(made)
        found.append(made)

    change(lambda t: None)
    change(lambda t: t[1]["tool_calls"].reverse())
    change(lambda t: t[1]["tool_calls"].pop())
    change(lambda t: t[1]["tool_calls"].append({"name": "find", "args": {"city": "Bern"}}))
    change(lambda t: t[4]["tool_calls"][0]["args"]["room"].update(id=8))
    change(lambda t: t[4]["tool_calls"][0]["args"].update(extra=None))
    change(lambda t: t[4]["tool_calls"][0]["args"].pop("price"))
    change(lambda t: t[4]["tool_calls"][0].update(name="cancel"))
    change(lambda t: t.pop())
    change(lambda t: t.append(said("user")))
    change(lambda t: t.insert(1, said("system")))
    change(lambda t: t[6].update(role="user"))
    change(lambda t: t.__setitem__(slice(1, 5), [t[4], t[5], t[1], t[2]]))
    change(lambda t: t[6].update(tool_calls=[]))
    change(lambda t: [m.pop("tool_calls", None) for m in t])
    change(lambda t: t.clear())
    return found


def by_chance(seed: int) -> tuple[list[Message], list[Message]]:
    """Two short trajectories of few tools and arguments, so that they are often alike."""
    chance = random.Random(seed)

    def call() -> tuple[str, dict[str, Any]]:
        names = chance.sample("abc", chance.randint(0, 3))
        return chance.choice(["f", "g"]), {name: chance.choice([1, 2, "1"]) for name in names}

    def trajectory() -> list[Message]:
        return [
            said("assistant", *[call() for _ in range(chance.randint(0, 3))])
            for _ in range(chance.randint(0, 3))
        ]

    one = trajectory()
    other = copy.deepcopy(one) if chance.random() < 0.6 else trajectory()
    for message in other:
        chance.shuffle(message.get("tool_calls", []))
        for made in message.get("tool_calls", []):
            if chance.random() < 0.3:
                made["args"].pop(next(iter(made["args"]), ""), None)
    return one, other


def in_openai_form(messages: list[Message]) -> list[Message]:
    """As agentevals takes them."""
    made = copy.deepcopy(messages)
    for message in made:
        if message["role"] == "tool":
            message["tool_call_id"] = "1"
        for number, call in enumerate(message.get("tool_calls", [])):
            function = {"name": call.pop("name"), "arguments": json.dumps(call.pop("args"))}
            call |= {"id": str(number), "type": "function", "function": function}
    return made


def _lines(rows: list[Any]) -> str:
    return ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)


def main() -> None:
    """Ask agentevals, and write what it says."""
    asked: list[tuple[list[Message], list[Message], str, str, dict[str, Any]]] = []
    for variant in variants():
        for mode, args in itertools.product(MODES, ARGS):
            asked.append((variant, BASE, mode, args, {}))
            asked.append((BASE, variant, mode, args, {}))
    for rule in ("ignore", "subset", "superset", ["room.id"], ["room.id", "price"], ["room.no"]):
        for variant, mode in itertools.product(variants()[4:8], MODES):
            asked.append((variant, BASE, mode, "exact", {"book": rule}))
    for seed in range(150):
        one, other = by_chance(seed)
        asked += [(one, other, mode, ARGS[seed % 4], {}) for mode in MODES]

    trajectories: list[list[Message]] = []

    def number(messages: list[Message]) -> int:
        if messages not in trajectories:
            trajectories.append(messages)
        return trajectories.index(messages)

    cases = []
    for trajectory, reference, mode, args, tools in asked:
        evaluate = create_trajectory_match_evaluator(
            trajectory_match_mode=mode, tool_args_match_mode=args, tool_args_match_overrides=tools
        )
        answer = evaluate(
            outputs=in_openai_form(trajectory), reference_outputs=in_openai_form(reference)
        )["score"]
        cases.append([number(trajectory), number(reference), mode, args, tools, answer])
    parts = [
        f'"agentevals": "{version("agentevals")}"',
        f'"trajectories": [\n{_lines(trajectories)}\n]',
        f'"cases": [\n{_lines(cases)}\n]',
    ]
    path = Path(__file__).with_name("agentevals.json")
    path.write_text("{" + ",\n".join(parts) + "}\n")
    print(f"{len(cases)} cases, {sum(case[-1] for case in cases)} of them match")


if __name__ == "__main__":
    main()
