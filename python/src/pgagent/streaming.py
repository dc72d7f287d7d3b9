"""What models say while they say it, kept as events of the thread, for readers that come late.

Text is appended in batches, as events of the kind ``chunk``; the whole message follows as one of
the kind ``message`` and stands for its chunks from then on. Each chunk names its place in the text,
so that one that was stored twice is read once. :class:`Transcript` puts the text together again.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import logging
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Any
from uuid import UUID

import psycopg
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult
from langgraph.constants import TAG_NOSTREAM

from pgagent import calls
from pgagent.aio import AsyncClient
from pgagent.calls import Call
from pgagent.client import Client
from pgagent.driving import Rule, adrive, doing, drive
from pgagent.fence import LOST
from pgagent.heartbeat import Held
from pgagent.jsonable import jsonable

log = logging.getLogger("pgagent.worker")

CHUNK = "chunk"
"""An event with more text of a message: ``message_id``, ``node``, ``offset`` (where the text begins
in the message, in characters) and ``text``."""

MESSAGE = "message"
"""An event with a message that is whole: ``message_id``, ``node``, ``content`` and ``tool_calls``;
``omitted``, the number of bytes, in place of these two when they are too large for an event."""

EVERY = 0.25
"""Seconds between two batches."""


LONGEST = 100_000
"""Characters in one batch."""

MESSAGE_BYTES = 1_000_000
"""Larger messages are left out of their event; the state of the thread has them."""


@dataclass(slots=True)
class _Saying:
    """One message of a model: its text so far, how much of that is kept, in the end all of it."""

    node: str | None
    message_id: str
    text: str = ""
    kept: int = 0
    whole: dict[str, Any] | None = None

    @property
    def batch(self) -> str:
        return self.text[self.kept : self.kept + LONGEST]

    @property
    def is_due(self) -> bool:
        return self.whole is not None or len(self.text) > self.kept


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is appended at once."""

    run_id: UUID
    call: Call[int]
    is_whole: bool
    length: int


def _whole(message: Any) -> dict[str, Any]:
    """What the event of a whole message has of it."""
    whole = jsonable({"content": message.content, "tool_calls": getattr(message, "tool_calls", [])})
    size = len(json.dumps(whole))
    return whole if size <= MESSAGE_BYTES else {"omitted": size}


class Recorder(BaseCallbackHandler):
    """Takes the text of every model call of a run from its callbacks, and has it appended under the
    run's token. It makes models stream, as ``stream_mode="messages"`` does.

    No I/O where the tokens pass: :class:`ChunkLog` appends on a thread, :class:`AsyncChunkLog` in a
    task. What cannot be appended because the server is away stays for the next batch.
    """

    run_inline = True
    client: Any

    def __init__(self, held: Held) -> None:
        self.held = held
        self._lock = Lock()
        self._sayings: dict[UUID, _Saying] = {}
        self._left = False

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: Any,
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model begins."""
        if TAG_NOSTREAM not in (tags or ()):
            node = (metadata or {}).get("langgraph_node")
            with self._lock:
                self._sayings[run_id] = _Saying(node, f"run--{run_id}")

    def on_llm_new_token(
        self, token: Any, *, chunk: Any = None, run_id: UUID, **kwargs: Any
    ) -> None:
        """More text."""
        message = getattr(chunk, "message", None)
        text = str(message.text) if message is not None else token
        with self._lock:
            saying = self._sayings.get(run_id)
            if saying is not None and isinstance(text, str):
                saying.message_id = getattr(message, "id", None) or saying.message_id
                saying.text += text

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """A message is whole."""
        said = response.generations[0][0] if response.generations[0] else None
        message: Any = getattr(said, "message", None)
        with self._lock:
            saying = self._sayings.get(run_id)
            if saying is not None and message is not None:
                saying.message_id = message.id or saying.message_id
                saying.whole = _whole(message)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A message that breaks off stays as it is."""

    def tap_output_iter(self, run_id: UUID, output: Any) -> Any:
        """Leaves streams of other runnables alone. A handler that has these two makes models stream
        that are called with invoke."""
        return output

    tap_output_aiter = tap_output_iter

    def _append(self) -> Rule[bool]:
        """Appends what is there; whether more can be appended now."""
        for batch in self._due():
            try:
                yield doing(self.client.run, batch.call)
            except LOST:
                raise
            except psycopg.OperationalError as error:
                log.warning("text of job %s is kept later: %s", self.held.job_id, error)
                return False
            except psycopg.Error as error:
                log.warning("text of job %s is not kept: %s", self.held.job_id, error)
            self._appended(batch)
        with self._lock:
            return any(saying.is_due for saying in self._sayings.values())

    def _append_all(self) -> Rule[None]:
        """Appends to the end, or until that fails."""
        while not self._left and (yield from self._append()):
            pass

    def _due(self) -> list[_Batch]:
        with self._lock:
            return [
                _Batch(run_id, self._call(saying), saying.whole is not None, len(saying.batch))
                for run_id, saying in self._sayings.items()
                if saying.is_due
            ]

    def _call(self, saying: _Saying) -> Call[int]:
        data: dict[str, Any] = {"message_id": saying.message_id, "node": saying.node}
        if saying.whole is None:
            kind = CHUNK
            data |= {"offset": saying.kept, "text": saying.batch}
        else:
            kind = MESSAGE
            data |= saying.whole
        return calls.append_event(
            self.held.thread_id, kind, jsonable(data), fencing_token=self.held.fencing_token
        )

    def _appended(self, batch: _Batch) -> None:
        with self._lock:
            if batch.is_whole:
                del self._sayings[batch.run_id]
            else:
                self._sayings[batch.run_id].kept += batch.length


class ChunkLog(Recorder):
    """A recorder that appends on a thread of its own, as a context manager."""

    def __init__(self, client: Client, held: Held) -> None:
        super().__init__(held)
        self.client = client
        self._done = Event()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Appends from now on."""
        context = contextvars.copy_context()  # what it logs is about this job
        name = f"pgagent-chunks-{self.held.job_id}"
        self._thread = Thread(target=context.run, args=(self._work,), name=name, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Appends what is left; nothing is under way any more when it returns."""
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def leave(self) -> None:
        """Appends no more; does not wait for what is under way."""
        self._left = True
        self._done.set()

    def __enter__(self) -> ChunkLog:
        self.begin()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.end()

    def _work(self) -> None:
        with contextlib.suppress(*LOST):
            while not self._done.wait(EVERY):
                drive(self._append())
            drive(self._append_all())


class AsyncChunkLog(Recorder):
    """A recorder that appends in a task of its own, as an async context manager."""

    def __init__(self, client: AsyncClient, held: Held) -> None:
        super().__init__(held)
        self.client = client
        self._done = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Appends from now on."""
        self._task = asyncio.create_task(self._work(), name=f"pgagent-chunks-{self.held.job_id}")

    async def end(self) -> None:
        """Appends what is left; nothing is under way any more when it returns."""
        self._done.set()
        if self._task is not None:
            await self._task

    def leave(self) -> None:
        """Appends no more; does not wait for what is under way."""
        self._left = True
        self._done.set()

    async def __aenter__(self) -> AsyncChunkLog:
        await self.begin()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.end()

    async def _work(self) -> None:
        with contextlib.suppress(*LOST):
            while not self._done.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._done.wait(), EVERY)
                await adrive(self._append())
            await adrive(self._append_all())


@dataclass(slots=True)
class Said:
    """A message as far as it is known: ``text`` of its chunks, ``content`` when it is whole."""

    message_id: str
    node: str | None
    job_id: UUID | None
    text: str = ""
    content: Any = None
    tool_calls: Any = None
    is_whole: bool = False


class Transcript:
    """What models have said on a thread, put together from its events, in the order they began.

        transcript, seq = Transcript(), 0
        while True:
            for event in client.events_since("thread-1", seq, wait=20):
                transcript.add(event)
                seq = event.seq
            show(transcript.messages)

    Text that a delivery left unfinished goes when the job is delivered again: its step is run
    again, and says it anew.
    """

    def __init__(self) -> None:
        self._said: dict[str, Said] = {}

    @property
    def messages(self) -> list[Said]:
        """The messages, those under way too."""
        return list(self._said.values())

    def add(self, event: calls.Event) -> None:
        """Takes the next event in; those of other kinds change nothing, or tell of a delivery."""
        if event.kind == "job_claimed":
            self._said = {
                key: said
                for key, said in self._said.items()
                if said.is_whole or said.job_id != event.job_id
            }
        if event.kind not in (CHUNK, MESSAGE):
            return
        key = event.data["message_id"]
        said = self._said.get(key)
        if said is None:
            said = Said(key, event.data["node"], event.job_id)
            self._said[key] = said
        if event.kind == CHUNK:
            said.text = said.text[: event.data["offset"]] + event.data["text"]
        else:
            said.is_whole = True
            said.content = event.data.get("content")
            said.tool_calls = event.data.get("tool_calls")
