"""Trajectories: what an agent did, compared with what it should have done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from psycopg.types.json import Jsonb

from pgagent import AsyncClient, BadArgument, Client
from pgagent.trajectories import acompare, compare, messages_of
from support.stage import Stage

GOLDEN = json.loads((Path(__file__).parent / "data" / "agentevals.json").read_text())


@pytest.fixture
def client(stage: Stage) -> Client:
    return stage.client


def talk(*cities: str) -> list[AnyMessage]:
    """A user's question, and the calls of an agent that looks cities up."""
    calls: list[Any] = [
        {"name": "find", "args": {"city": city}, "id": str(n)} for n, city in enumerate(cities)
    ]
    return [
        HumanMessage("Where?"),
        AIMessage("", tool_calls=calls),
        *(ToolMessage("here", tool_call_id=call["id"]) for call in calls),
    ]


def test_the_answers_are_those_of_agentevals(stage: Stage) -> None:
    cases = GOLDEN["cases"]
    assert len(cases) >= 1_000
    trajectories = GOLDEN["trajectories"]
    asked = [
        [trajectories[ours], trajectories[theirs], mode, arguments, tools]
        for ours, theirs, mode, arguments, tools, _ in cases
    ]
    found = stage.conn.execute(
        """
        select c.matches
        from jsonb_array_elements(%s) with ordinality as a (asked, ordinal)
        cross join lateral pgagent.compare_trajectories(
          a.asked -> 0, a.asked -> 1, a.asked ->> 2, a.asked ->> 3, a.asked -> 4
        ) as c
        order by a.ordinal
        """,
        (Jsonb(asked),),
    ).fetchall()
    wrong = [case for case, (answer,) in zip(cases, found, strict=True) if answer != case[-1]]
    assert wrong == []
    assert 0.3 < sum(answer for (answer,) in found) / len(found) < 0.7


def test_messages_of_langchain_and_of_openai_are_compared(client: Client) -> None:
    openai = [
        {"role": "user", "content": "Where?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "0",
                    "type": "function",
                    "function": {"name": "find", "arguments": '{"city": "Bern"}'},
                }
            ],
        },
        {"role": "tool", "content": "here", "tool_call_id": "0"},
    ]
    assert messages_of(talk("Bern")) == messages_of(openai)
    assert compare(client, {"messages": talk("Bern")}, openai).matches
    other = compare(client, talk("Rome"), openai)
    assert not other.matches
    assert other.parts_at == 2
    assert other.missing == [{"at": 2, "name": "find", "args": {"city": "Bern"}}]
    assert other.extra == [{"at": 2, "name": "find", "args": {"city": "Rome"}}]


def test_a_function_may_say_which_arguments_are_as_good_as_equal(client: Client) -> None:
    def alike(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
        return ours["city"].lower() == theirs["city"].lower()

    ours, reference = talk("BERN", "rome"), talk("Rome", "Bern")
    assert not compare(client, ours, reference).matches
    for mode in ("strict", "unordered", "subset", "superset"):
        assert compare(client, ours, reference, mode=mode, tools={"find": alike}).matches
    assert not compare(client, ours, talk("Rome", "Paris"), tools={"find": alike}).matches


async def test_the_async_client_compares_alike(worker_dsn: str) -> None:
    async with AsyncClient(worker_dsn) as client:
        assert (await acompare(client, talk("Bern"), talk("Bern"))).matches
        assert not (await acompare(client, talk("Bern"), talk("Rome"))).matches


def test_the_trajectory_of_a_thread_is_compared(client: Client) -> None:
    client.create_session("t")
    client.append_messages(
        "t",
        [
            {"role": "user", "content": "Where?"},
            {
                "role": "tool_call",
                "content": {"name": "find", "args": {"city": "Bern"}},
                "tool_call_id": "1",
            },
            {"role": "tool_result", "content": "here", "tool_call_id": "1"},
        ],
    )
    assert compare(client, client.trajectory("t"), talk("Bern")).matches


@pytest.mark.parametrize("given", ["text", 7, {"no": "messages"}, [object()]])
def test_what_holds_no_messages_is_refused(given: Any) -> None:
    with pytest.raises((ValueError, NotImplementedError)):
        messages_of(given)


def test_a_rule_that_there_is_not_is_refused(client: Client) -> None:
    with pytest.raises(BadArgument, match="a rule of tools"):
        compare(client, [], [], tools={"find": "loosely"})  # type: ignore[dict-item]
