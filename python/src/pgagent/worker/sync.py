"""The sync worker: a thread a job."""

from __future__ import annotations

import contextvars
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Event, Thread, current_thread, main_thread
from typing import Any

from langgraph.pregel import Pregel

from pgagent.calls import Job
from pgagent.client import Client
from pgagent.driving import Do, drive
from pgagent.heartbeat import Heartbeat
from pgagent.resume import Control
from pgagent.saver.sync import PgAgentSaver
from pgagent.streaming import ChunkLog
from pgagent.worker.base import Run, WorkerBase


class Worker(WorkerBase[PgAgentSaver]):
    """Runs jobs of a graph until it is told to stop.

    ``graph`` is a compiled graph whose checkpointer is a :class:`PgAgentSaver`, or none: then one
    is made from ``source``. ``source`` is a connection string or a pool; by default that of the
    saver. :class:`~pgagent.worker.aio.AsyncWorker` is for graphs that are run with await.

    Args:
        queues: the queues to claim from; within a priority an earlier one comes first.
        concurrency: how many jobs at once, each on a thread of its own. One claim takes as many as
            there are free places, and never more. The pool should have two connections a job.
        name: kept on jobs and attempts; host and process id by default.
        lease: seconds a job is ours without a renewal.
        poll: seconds between two looks for work when there is none, at most; at least half of it.
            Where NOTIFY is on (the setting ``notify``) the worker also listens, and looks at once
            when a job of its queues became claimable.
        listen: where to listen, when ``source`` leads through a pooler: a connection string that
            leads straight to the server.
        on_leftovers: what becomes of tasks an earlier, ended run left; see :data:`Leftovers`.
        to_input: makes the graph's input from a job's payload.
        to_result: makes a job's result, as JSON, from the state it ended in.
        is_fatal: whether an error makes a retry pointless; by default a recursion limit that was
            met.
        approval_timeout: seconds people have to decide what a run asks, where the question does not
            say; then the run ends as TIMED_OUT. For ever by default.
        drain_timeout: seconds that steps under way have to end once the worker was told to stop;
            then their jobs go back all the same. As long as they need, by default.
        on_hang: what follows when a step goes on past its deadline (``step_timeout`` or ``timeout``
            of its job) and does not end: ``exit`` drains and raises :class:`StepHung`; ``replace``
            opens another place, and leaves the thread behind.
        health_file: a file that is touched while the worker's loop turns, and removed at its end.
        stream_mode: what of the graph is streamed, with ``on_chunk``: one mode or several.
        on_chunk: called with the job, the mode and each chunk, on the job's thread. What it raises
            is logged. A step that runs again streams again.
        record_text: what models say is kept as events while they say it, for readers that come late
            or again: see :class:`~pgagent.streaming.Transcript`.

    Whatever a run raises, ``SystemExit`` too, fails its job, and the worker goes on with the next.

    ``SIGTERM`` and ``SIGINT`` drain: the steps under way end, their jobs go back unfinished and no
    attempt is counted. A second one does not wait for the steps.
    """

    _threads: int

    def run(self, *, once: bool = False, max_jobs: int | None = None) -> int:
        """Claims and runs jobs until told to stop.

        Args:
            once: returns when nothing is due.
            max_jobs: returns after so many jobs.

        Returns:
            How many jobs were delivered.

        Raises:
            StepHung: a step that hung is still there, and cannot be ended.
        """
        self._context = contextvars.copy_context()
        try:
            with self._signals():
                return drive(self._serve(once=once, max_jobs=max_jobs))
        finally:
            for _ in range(self._threads):
                self._places.put(None)
            self._threads = 0

    def work(self, job: Job) -> None:
        """Delivers one claimed job and tells the server what became of it."""
        run = self._running.get(job.job_id) or self._new_run(job)
        thread = current_thread()
        run.where = lambda: _stack(thread)
        try:
            drive(self._work(run))
        finally:
            self._running.pop(job.job_id, None)

    def _prepare(self) -> None:
        self._bell = Event()
        self._context = contextvars.copy_context()
        self._places: SimpleQueue[Run | None] = SimpleQueue()
        self._threads = 0

    def _must_fit(self, graph: Pregel[Any, Any, Any, Any]) -> None:
        if not isinstance(graph.checkpointer, PgAgentSaver):
            raise TypeError(
                "a worker needs a graph whose checkpointer is a PgAgentSaver, "
                "builder.compile(checkpointer=saver), or one without and a source, "
                "Worker(builder.compile(), dsn). It calls graph.invoke: AsyncWorker is for an "
                "AsyncPgAgentSaver and for nodes that are async alone"
            )

    def _new_saver(self, source: Any) -> PgAgentSaver:
        return PgAgentSaver(source)

    def _new_client(self, source: Any) -> Client:
        return Client(source)

    def _new_heartbeat(self, job: Job, control: Control) -> Heartbeat:
        return Heartbeat(self.client, job, control, self.lease, job.lease_left)

    def _new_recorder(self, job: Job) -> ChunkLog:
        return ChunkLog(self.client, job)

    def _ring(self) -> None:
        self._bell.set()

    def _pause(self, seconds: float) -> None:
        self._bell.wait(seconds)
        self._bell.clear()

    def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _beside(self, function: Callable[..., Any], *args: Any) -> Do:
        return Do(lambda: function(*args), _never)

    def _start(self, run: Run) -> None:
        if self._threads < len(self._running) + len(self._hung):
            self._threads += 1
            name = f"pgagent-worker-{self._threads}"
            Thread(target=self._at_place, name=name, daemon=True).start()
        self._places.put(run)

    def _at_place(self) -> None:
        """Works on job after job."""
        while (run := self._places.get()) is not None:
            fault = None
            try:
                self._context.copy().run(self.work, run.job)
            except BaseException as error:  # noqa: BLE001 - raised by run()
                fault = error
            self._over(run, fault)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """While running on the main thread, SIGTERM and SIGINT drain."""
        if current_thread() is not main_thread():
            yield
            return

        def stop(number: int, frame: object) -> None:
            # On a thread: a handler interrupts the main thread, which may hold the bell's lock.
            Thread(target=self._signalled, name="pgagent-stop").start()

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def _never() -> None:
    raise AssertionError("a sync worker awaits nothing")


def _stack(thread: Thread) -> str:
    """Where a thread stands, to be logged."""
    frame = sys._current_frames().get(thread.ident or 0)
    return "" if frame is None else "\n" + "".join(traceback.format_stack(frame))
