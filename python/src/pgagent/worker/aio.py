"""The async worker: a task a job, on one event loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import current_thread, main_thread
from typing import Any

from langgraph.pregel import Pregel

from pgagent.aio import AsyncClient
from pgagent.calls import Job
from pgagent.driving import Do, adrive
from pgagent.fence import in_a_run
from pgagent.heartbeat import AsyncHeartbeat
from pgagent.resume import Control
from pgagent.saver.aio import AsyncPgAgentSaver
from pgagent.streaming import AsyncChunkLog
from pgagent.worker.base import Run, RunExited, WorkerBase


class AsyncWorker(WorkerBase[AsyncPgAgentSaver]):
    """Runs jobs of a graph with await, until it is told to stop: for graphs with an
    :class:`AsyncPgAgentSaver`, and for nodes that are async alone.

        await AsyncWorker(builder.compile(checkpointer=saver), concurrency=20).run()

    The options are those of :class:`~pgagent.worker.sync.Worker`; ``concurrency`` is in tasks, and
    ``on_chunk`` may be async. Functions among the nodes run on the threads of the loop's default
    executor, as LangGraph has it: by default four more than there are processors, whatever
    ``concurrency`` is.

    A run whose job is lost, or whose step is past its deadline, is cancelled where it awaits. A
    node that blocks the event loop holds up every other job, and the renewal of its lease.
    """

    _can_cancel = True
    _loop: asyncio.AbstractEventLoop | None

    async def run(self, *, once: bool = False, max_jobs: int | None = None) -> int:
        """Claims and runs jobs until told to stop; as :meth:`Worker.run`.

        When it is cancelled, the runs under way are cancelled too, and their jobs go back.
        """
        loop = self._loop = asyncio.get_running_loop()
        self._bell = asyncio.Event()
        try:
            with self._signals(loop), _surviving_exits(loop):
                return await adrive(self._serve(once=once, max_jobs=max_jobs))
        except asyncio.CancelledError:
            self.stop()
            for run in list(self._running.values()):
                run.delivery.control.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
            raise

    async def work(self, job: Job) -> None:
        """Delivers one claimed job and tells the server what became of it."""
        run = self._running.get(job.job_id) or self._new_run(job)
        try:
            await adrive(self._work(run))
        finally:
            self._running.pop(job.job_id, None)

    def _prepare(self) -> None:
        self._bell = asyncio.Event()
        self._loop = None
        self._tasks: set[asyncio.Task[None]] = set()

    def _must_fit(self, graph: Pregel[Any, Any, Any, Any]) -> None:
        if not isinstance(graph.checkpointer, AsyncPgAgentSaver):
            raise TypeError(
                "an async worker needs a graph whose checkpointer is an AsyncPgAgentSaver, "
                "builder.compile(checkpointer=saver), or one without and a source, "
                "AsyncWorker(builder.compile(), dsn)"
            )

    def _new_saver(self, source: Any) -> AsyncPgAgentSaver:
        return AsyncPgAgentSaver(source)

    def _new_client(self, source: Any) -> AsyncClient:
        return AsyncClient(source)

    def _new_heartbeat(self, job: Job, control: Control) -> AsyncHeartbeat:
        return AsyncHeartbeat(
            self.client, job, control, self.lease, job.lease_left, on_lost=control.cancel
        )

    def _new_recorder(self, job: Job) -> AsyncChunkLog:
        return AsyncChunkLog(self.client, job)

    def _ring(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(self._bell.set)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._bell.wait(), seconds)
        self._bell.clear()

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _beside(self, function: Callable[..., Any], *args: Any) -> Do:
        return Do(lambda: function(*args), partial(asyncio.to_thread, function, *args))

    async def _start(self, run: Run) -> None:
        task = asyncio.create_task(self._at_place(run), name=f"pgagent-job-{run.job.job_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _at_place(self, run: Run) -> None:
        fault = None
        try:
            await self.work(run.job)
        except Exception as error:  # noqa: BLE001 - raised by run()
            fault = error
        finally:
            self._over(run, fault)

    @contextmanager
    def _signals(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """While running on the main thread, SIGTERM and SIGINT drain."""
        if current_thread() is not main_thread():
            yield
            return
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.getsignal(number) for number in numbers}
        for number in numbers:
            loop.add_signal_handler(number, self._signalled)
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                if handler is not None:
                    signal.signal(number, handler)


@contextmanager
def _surviving_exits(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Within the block, ``sys.exit()`` in a task of a run is an error of that run. Of all that
    tasks raise it is what ends a loop, and LangGraph makes a task for each node of a step."""
    before = loop.get_task_factory()

    def make(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Future[Any]:
        work = _without_exit(work) if in_a_run() else work
        if before is not None:
            return before(loop, work, **options)
        return asyncio.Task(work, loop=loop, **options)

    loop.set_task_factory(make)
    try:
        yield
    finally:
        loop.set_task_factory(before)


async def _without_exit(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await work
    except SystemExit as left:
        raise RunExited(left.code) from left
