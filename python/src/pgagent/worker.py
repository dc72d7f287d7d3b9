"""The worker: claims jobs, runs the graph, gives back what it cannot finish."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread
from typing import Any

import psycopg
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.pregel import Pregel
from langgraph.runtime import RunControl
from psycopg_pool import ConnectionPool
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from pgagent import calls, resume
from pgagent.calls import Call, Job
from pgagent.client import Client
from pgagent.errors import BadArgument, LimitExceeded
from pgagent.fence import LOST
from pgagent.heartbeat import Heartbeat
from pgagent.jsonable import jsonable, text
from pgagent.resume import Complete, Delivery, Leftovers, Pause
from pgagent.saver.sync import PgAgentSaver
from pgagent.wake import Listener

log = logging.getLogger("pgagent.worker")

LOOK_AGAIN = 0.05
"""Seconds after a notification to look once more: it stands for the transactions beside it too."""

RESULT_BYTES = 1_000_000
"""Larger results are left out of the job; the state of the thread has them."""


def _described(error: BaseException | None) -> Any:
    """An error as JSON."""
    if error is None:
        return {"type": "stopped", "message": "the run stopped short"}
    if isinstance(error, SystemExit):
        code = "" if error.code is None else jsonable(error.code)
        return {"type": "SystemExit", "message": f"the run called sys.exit({code})"}
    return jsonable({"type": type(error).__qualname__, "message": text(error)[:10_000]})


def last_word(values: Any) -> Any:
    """The default result of a job: the last message of a conversation, else the state, as JSON."""
    if isinstance(values, dict) and isinstance(values.get("messages"), list) and values["messages"]:
        last = values["messages"][-1]
        return {"role": getattr(last, "type", None), "content": last.content}
    return values


def has_gone_round(error: BaseException) -> bool:
    """What is fatal by default: a run that met its recursion limit. It made progress all the way,
    so that its attempts would never run out, and each would have the whole limit again."""
    return isinstance(error, GraphRecursionError)


class Worker:
    """Runs jobs of a graph, one at a time, until it is told to stop.

    ``graph`` is a compiled graph whose checkpointer is a :class:`PgAgentSaver`, or none: then one
    is made from ``source``. ``source`` is a connection string or a pool; by default that of the
    saver.

    Args:
        queues: the queues to claim from; within a priority an earlier one comes first.
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

    Whatever a run raises, ``SystemExit`` too, fails its job, and the worker goes on with the next.

    ``SIGTERM`` and ``SIGINT`` drain: the step under way ends, the job goes back unfinished and the
    attempt is not counted.
    """

    def __init__(
        self,
        graph: Pregel[Any, Any, Any, Any],
        source: str | ConnectionPool[Any] | None = None,
        *,
        queues: Sequence[str] = ("default",),
        name: str | None = None,
        lease: float = 60.0,
        poll: float = 1.0,
        listen: str | None = None,
        on_leftovers: Leftovers = "keep",
        to_input: Callable[[Any], Any] = lambda payload: payload,
        to_result: Callable[[Any], Any] = last_word,
        is_fatal: Callable[[BaseException], bool] = has_gone_round,
        approval_timeout: float | None = None,
    ) -> None:
        if isinstance(queues, str):
            raise TypeError(f"queues is a list of names: queues=[{queues!r}]")
        if graph.checkpointer is None and source is not None:
            graph = graph.copy(update={"checkpointer": PgAgentSaver(source)})
        if not isinstance(graph.checkpointer, PgAgentSaver):
            raise TypeError(
                "a worker needs a graph whose checkpointer is a PgAgentSaver, "
                "builder.compile(checkpointer=saver), or one without and a source, "
                "Worker(builder.compile(), dsn). It calls graph.invoke: AsyncPgAgentSaver and "
                "nodes that are async alone are for graphs that you run yourself"
            )
        self.graph = graph
        self.saver = graph.checkpointer
        self.client = self.saver.client if source is None else Client(source)
        self.queues = list(queues)
        self.name = name or f"{socket.gethostname()}:{os.getpid()}"
        self.lease = lease
        self.poll = poll
        self.listen = listen
        self.on_leftovers: Leftovers = on_leftovers
        self.to_input = to_input
        self.to_result = to_result
        self.is_fatal = is_fatal
        self.approval_timeout = approval_timeout
        self._stop = Event()
        self._woken = Event()
        self._control: RunControl | None = None

    def stop(self) -> None:
        """Drains: the step under way ends, the job goes back, ``run`` returns. From any thread."""
        self._stop.set()
        self._woken.set()
        if self._control is not None:
            self._control.request_drain("worker stops")

    def run(self, *, once: bool = False) -> int:
        """Claims and runs jobs until told to stop; with ``once``, until nothing is due.

        Returns:
            How many jobs were delivered.
        """
        delivered = 0
        woken = False
        with self._signals(), self._listener() as listener:
            while True:
                self._woken.clear()  # before the look: what comes after it counts
                if self._stop.is_set():
                    break
                job = self._claim()
                if job is not None:
                    delivered += 1
                    self.work(job)
                elif once:
                    break
                else:
                    self._look(listener)
                    pause = min(LOOK_AGAIN, self.poll) if woken else self.poll
                    woken = self._woken.wait(pause * random.uniform(0.5, 1.0))
        return delivered

    def _listener(self) -> Listener:
        return Listener(
            lambda: self.client.run(calls.notify_mode()),
            self.listen or self.client.source,
            self.queues,
            self._woken,
            self.poll,
        )

    def _look(self, listener: Listener) -> None:
        try:
            listener.look()
        except psycopg.Error as error:
            log.warning("no look at the setting notify: %s", str(error).strip())

    def work(self, job: Job) -> None:
        """Delivers one claimed job and tells the server what became of it."""
        control = self._control = RunControl()
        if self._stop.is_set():
            control.request_drain("worker stops")
        log.info("job %s of thread %s: attempt %s", job.job_id, job.thread_id, job.attempt)
        heartbeat = Heartbeat(self.client, job, control, self.lease)
        delivery = Delivery(
            self.graph,
            self.saver,
            job,
            control,
            callbacks=(heartbeat,),
            on_leftovers=self.on_leftovers,
            to_input=self.to_input,
        )
        try:
            with heartbeat:
                verdicts = self._verdicts(delivery)
            # No renewal is under way any more: one that crossed the verdict would be refused.
            if heartbeat.lost is None:
                self._tell(*verdicts)
        except LOST as refusal:
            log.warning("job %s is not ours any more: %s", job.job_id, refusal.args[0])
        except psycopg.OperationalError as error:
            log.warning("job %s is left to its lease: %s", job.job_id, error)
        finally:
            self._control = None

    def _verdicts(self, delivery: Delivery) -> tuple[Call[str], ...]:
        """Runs a delivery; the call that says what it came to, and others in case the server does
        not take that one."""
        ids = delivery.job.job_id, delivery.job.fencing_token
        if delivery.job.unreadable is not None:
            unreadable = BadArgument(f"Python cannot read the job: {delivery.job.unreadable}")
            return (calls.fail_job(*ids, _described(unreadable), fatal=True),)
        try:
            outcome = resume.deliver(delivery)
            if isinstance(outcome, Complete):
                log.info("job %s is complete", ids[0])
                return tuple(calls.complete_job(*ids, result) for result in self._results(outcome))
            if isinstance(outcome, Pause):
                log.info("job %s waits for %s answers", ids[0], len(outcome.questions))
                too_large = LimitExceeded("what the run asks is larger than a job can hold")
                return (
                    calls.pause_job(
                        *ids,
                        jsonable(outcome.questions),
                        timeout=self.approval_timeout,
                        response_schemas=jsonable(outcome.schemas) or None,
                    ),
                    calls.fail_job(*ids, _described(too_large), fatal=True),
                )
            error = outcome.error
        except LOST:
            raise
        except (GraphDrained, psycopg.OperationalError) as stopped:
            # Told to stop, or the server is away: another goes on from the last checkpoint.
            log.info("job %s goes back: %s", ids[0], stopped)
            return (calls.release_job(*ids),)
        except resume.ERRORS as raised:  # whatever it is, the job hears of it
            error = raised
        log.warning("job %s failed: %r", ids[0], error, exc_info=error)
        return (calls.fail_job(*ids, _described(error), fatal=self._gives_up(error)),)

    def _gives_up(self, error: BaseException | None) -> bool:
        try:
            return error is not None and self.is_fatal(error)
        except Exception:
            log.exception("is_fatal raised: the job is tried again")
            return False

    def _results(self, outcome: Complete) -> Iterator[Any]:
        """The result as JSON, and what stands for it: a run does not fail because what it said is
        too large to keep."""
        result = jsonable(self.to_result(outcome.values))
        size = len(json.dumps(result))
        if size <= RESULT_BYTES:
            yield result
        yield {"omitted": f"{size} bytes of result"}

    def _tell(self, verdict: Call[str], *smaller: Call[str]) -> None:
        """Sends a verdict, again and again for as long as the lease may last; a smaller one when
        the server finds it too large."""
        try:
            for attempt in Retrying(
                stop=stop_after_delay(self.lease),
                wait=wait_random_exponential(multiplier=0.1, max=2.0),
                retry=retry_if_exception_type(psycopg.OperationalError),
                reraise=True,
            ):
                with attempt:
                    self.client.run(verdict)
        except LimitExceeded:
            if not smaller:
                raise
            self._tell(*smaller)

    def _claim(self) -> Job | None:
        try:
            claimed = self.client.claim_jobs(self.name, queues=self.queues, lease=self.lease)
        except psycopg.OperationalError as error:
            log.warning("no claim: %s", error)
            self._stop.wait(self.poll)
            return None
        return next(iter(claimed), None)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """While running on the main thread, SIGTERM and SIGINT drain."""
        if current_thread() is not main_thread():
            yield
            return

        def stop(number: int, frame: object) -> None:
            # On a thread: a handler interrupts the main thread, which may hold the event's lock.
            Thread(target=self.stop, name="pgagent-stop").start()

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
