"""Text of models that is kept while they speak, and readers that come late or again."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult, LLMResult
from langgraph.graph import START, MessagesState, StateGraph

from pgagent import AsyncPgAgentSaver, Client, PgAgentSaver
from pgagent.calls import Event, Job
from pgagent.streaming import ChunkLog, Said, Transcript
from support.family import Graph, Saver
from support.processes import Forked, until
from support.stage import Stage

WORDS = [f"w{n} " for n in range(1, 11)]
GO = {"messages": [["user", "go"]]}


class Speaker(BaseChatModel):
    """Says ten words; ``pause`` is called after the seventh."""

    pause: Callable[[], None] = lambda: None

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage("".join(WORDS), id="whole"))]
        )

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for number, word in enumerate(WORDS, 1):
            yield ChatGenerationChunk(message=AIMessageChunk(word))
            if number == 7:
                self.pause()


def talk(stage: Stage, saver: Saver) -> Graph:
    """One node with a model that waits at the gate b after seven words."""
    model = Speaker(pause=lambda: stage.at("b"))

    def say(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    async def asay(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    node: Any = asay if stage.is_async else say
    return StateGraph(MessagesState).add_node("say", node).add_edge(START, "say").compile(
        checkpointer=saver
    )  # fmt: skip


def events(stage: Stage, after: int = 0) -> list[Event]:
    return stage.client.events_since("t", after)


def heard(stage: Stage) -> list[Said]:
    """What a reader has who comes now."""
    transcript = Transcript()
    for event in events(stage):
        transcript.add(event)
    return transcript.messages


def texts(stage: Stage) -> list[str]:
    return [said.text for said in heard(stage)]


@pytest.mark.usefixtures("kind")
def test_after_a_kill_a_reader_has_all_that_was_said_once_and_in_the_end_the_message(
    stage: Stage,
) -> None:
    job = stage.enqueue(payload=GO)
    follower, seq = Transcript(), 0

    def follow() -> None:
        nonlocal seq
        for event in events(stage, seq):
            follower.add(event)
            seq = event.seq

    with stage.worker(talk, record_text=True) as worker:
        until(lambda: texts(stage) == ["".join(WORDS[:7])])
        worker.send(signal.SIGKILL)
        worker.wait()
    follow()
    assert texts(stage) == [said.text for said in follower.messages] == ["".join(WORDS[:7])]
    assert [said.is_whole for said in heard(stage)] == [False]

    stage.let_leases_run_out()
    stage.open("b")
    assert stage.deliver(talk, record_text=True) == 0
    assert stage.status(job) == "COMPLETED"
    follow()
    for reader in (heard(stage), follower.messages):
        (said,) = reader
        assert (said.content, said.is_whole) == ("".join(WORDS), True)
        assert (said.node, said.job_id) == ("say", job)
    message = stage.state(talk).values["messages"][-1]
    assert (message.content, message.id) == (said.content, said.message_id)


@pytest.mark.usefixtures("kind")
def test_text_comes_through_connections_that_die(stage: Stage) -> None:
    stage.enqueue(payload=GO)
    with stage.worker(talk, record_text=True) as worker:
        until(lambda: texts(stage) == ["".join(WORDS[:7])])
        stage.cut_connections()
        stage.open("b")
        assert worker.wait() == 0
    assert [said.content for said in heard(stage)] == ["".join(WORDS)]


def test_nothing_is_kept_and_no_model_streams_unless_that_is_asked_for(stage: Stage) -> None:
    stage.enqueue(payload=GO)
    assert stage.deliver(talk) == 0  # the gate would hold it up
    assert not {"chunk", "message"} & {event.kind for event in events(stage)}


def test_a_block_keeps_text_as_a_worker_does(stage: Stage) -> None:
    stage.open("b")
    with PgAgentSaver.from_conn_string(stage.dsn) as saver:
        graph = talk(stage, saver)
        with saver.run("t", record_text=True) as config:
            graph.invoke(GO, config)

    async def run() -> None:
        stage.is_async = True
        async with AsyncPgAgentSaver.from_conn_string(stage.dsn) as asaver:
            agraph = talk(stage, asaver)
            async with asaver.run("t", record_text=True) as config:
                await agraph.ainvoke(GO, config)

    asyncio.run(run())
    assert [said.content for said in heard(stage)] == ["".join(WORDS)] * 2


def open_transactions(stage: Stage) -> list[Any]:
    return stage.conn.execute(
        "select state, query from pg_stat_activity"
        " where usename = 'agent_worker' and xact_start is not null"
    ).fetchall()


def begun(stage: Stage) -> bool:
    """Whether the input is stored and the model speaks."""
    return bool(stage.journal.notes("at"))


@pytest.mark.usefixtures("kind")
def test_no_transaction_is_open_while_a_model_speaks_under_a_worker(stage: Stage) -> None:
    stage.enqueue(payload=GO)
    with stage.worker(talk, record_text=True, lease=1.0) as worker:
        until(lambda: begun(stage))
        # Renewals and chunks come and go; none stays.
        for _ in range(20):
            time.sleep(0.05)
            until(lambda: not open_transactions(stage), timeout=0.2)
        stage.open("b")
        assert worker.wait() == 0


@pytest.mark.usefixtures("kind")
def test_no_transaction_is_open_while_a_model_speaks_within_a_block(stage: Stage) -> None:
    def run() -> None:
        with PgAgentSaver.from_conn_string(stage.dsn) as saver, saver.run("t") as config:
            talk(stage, saver).invoke(GO, config, stream_mode="messages")

    async def arun() -> None:
        async with AsyncPgAgentSaver.from_conn_string(stage.dsn) as saver, saver.run("t") as config:
            await talk(stage, saver).ainvoke(GO, config, stream_mode="messages")

    with Forked((lambda: asyncio.run(arun())) if stage.is_async else run) as process:
        until(lambda: begun(stage))
        for _ in range(10):
            time.sleep(0.05)
            assert open_transactions(stage) == []
        stage.open("b")
        assert process.wait() == 0


# --- the recorder alone


def claimed(stage: Stage) -> Job:
    job = stage.client.claim_job("w1")
    assert job is not None
    return job


def said_at_once(recorder: ChunkLog, message: AIMessage, *tokens: str, node: str = "n") -> None:
    run_id = uuid4()
    recorder.on_chat_model_start({}, [], run_id=run_id, metadata={"langgraph_node": node})
    for token in tokens:
        recorder.on_llm_new_token(token, run_id=run_id)
    recorder.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]), run_id=run_id)


def test_a_run_that_lost_its_job_keeps_nothing_more(stage: Stage) -> None:
    stage.enqueue()
    old = claimed(stage)
    stage.let_leases_run_out()
    new = claimed(stage)
    with ChunkLog(stage.client, old) as recorder:
        said_at_once(recorder, AIMessage("stale"), "stale")
    with ChunkLog(stage.client, new) as recorder:
        said_at_once(recorder, AIMessage("fresh"), "fresh")
    assert [said.content for said in heard(stage)] == ["fresh"]


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ("a\0b\ud800c", "a\ufffdb?c"),
        ("x" * 2_000_000, None),
        ([{"type": "text", "text": "y"}],) * 2,
    ],
    ids=["nul and surrogates", "too large", "blocks"],
)
def test_what_a_model_says_fits_an_event_or_is_named(stage: Stage, content: Any, kept: Any) -> None:
    stage.enqueue()
    with ChunkLog(stage.client, claimed(stage)) as recorder:
        said_at_once(recorder, AIMessage(content))
    (said,) = heard(stage)
    assert (said.content, said.is_whole) == (kept, True)


def test_text_waits_while_the_server_is_away(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.enqueue()
    run_id = uuid4()
    dead = psycopg.connect(stage.dsn, autocommit=True)
    dead.close()
    with ChunkLog(Client(dead), claimed(stage)) as recorder:
        recorder.on_chat_model_start({}, [], run_id=run_id)
        recorder.on_llm_new_token("ab", run_id=run_id)
        until(lambda: "kept later" in caplog.text)
        recorder.client = stage.client
        recorder.on_llm_new_token("cd", run_id=run_id)
    assert texts(stage) == ["abcd"]


def test_a_long_text_comes_in_batches(stage: Stage) -> None:
    stage.enqueue()
    recorder = ChunkLog(stage.client, claimed(stage))
    run_id = uuid4()
    with recorder:
        recorder.on_chat_model_start({}, [], run_id=run_id)
        recorder.on_llm_new_token("0123456789" * 25_000, run_id=run_id)
    assert texts(stage) == ["0123456789" * 25_000]
    assert [len(e.data["text"]) for e in events(stage) if e.kind == "chunk"] == [
        100_000, 100_000, 50_000,
    ]  # fmt: skip


def test_models_that_are_not_to_be_streamed_are_left_out(stage: Stage) -> None:
    stage.enqueue()
    run_id = uuid4()
    with ChunkLog(stage.client, claimed(stage)) as recorder:
        recorder.on_chat_model_start({}, [], run_id=run_id, tags=["nostream"])
        recorder.on_llm_new_token("hidden", run_id=run_id)
    assert heard(stage) == []


# --- the reader alone


def event(kind: str, job: UUID, attempt: int = 1, **data: Any) -> Event:
    return Event(0, kind, data, job, attempt, None, datetime.now(UTC))


def test_a_chunk_that_was_stored_twice_is_read_once() -> None:
    job, transcript = uuid4(), Transcript()
    for offset, text in ((0, "ab"), (2, "cd"), (2, "cd"), (4, "e")):
        transcript.add(event("chunk", job, message_id="m", node=None, offset=offset, text=text))
    assert [said.text for said in transcript.messages] == ["abcde"]


def test_only_the_job_that_is_delivered_again_loses_what_it_left_unfinished() -> None:
    one, other, transcript = uuid4(), uuid4(), Transcript()
    for job in (one, other):
        for name in ("whole", "broken"):
            key = f"{name} of {job}"
            transcript.add(event("chunk", job, message_id=key, node=None, offset=0, text=name))
        transcript.add(
            event("message", job, message_id=f"whole of {job}", node=None, content="all")
        )
    transcript.add(event("job_claimed", one, 2))
    assert [said.message_id for said in transcript.messages] == [
        f"whole of {one}", f"whole of {other}", f"broken of {other}",
    ]  # fmt: skip
