"""The rules of workers, sync and async: what to claim, what becomes of a job, when to stop."""

from __future__ import annotations

import json
import os
import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args
from uuid import UUID

import psycopg
from langgraph.errors import GraphDrained, GraphRecursionError
from langgraph.pregel import Pregel
from langgraph.types import StreamMode

from pgagent import calls, resume
from pgagent.calls import Call, Job
from pgagent.driving import Do, Rule, doing
from pgagent.errors import BadArgument, LimitExceeded
from pgagent.fence import LOST
from pgagent.heartbeat import AsyncHeartbeat, Heartbeat
from pgagent.jsonable import jsonable, text
from pgagent.logs import about, worker_log
from pgagent.resume import Complete, Control, Delivery, Leftovers, Pause
from pgagent.streaming import AsyncChunkLog, ChunkLog
from pgagent.wake import Listener, Pauses
from pgagent.worker.health import Health

log = worker_log

Saver = TypeVar("Saver", bound=Any)
OnHang = Literal["exit", "replace"]

LOOK_AGAIN = 0.05
"""Seconds after a notification to look once more: it stands for the transactions beside it too."""

RESULT_BYTES = 1_000_000
"""Larger results are left out of the job; the state of the thread has them."""

LONGEST_AWAY = 15.0
"""Seconds between two tries to claim while the server is away, at most."""

GRACE = 5.0
"""Seconds a step that is past its deadline, or was cancelled, has to end."""


class StepHung(RuntimeError):
    """A step went on past its deadline and cannot be ended. Its job runs elsewhere; what it still
    writes is refused. End the process, and start another."""


class RunExited(RuntimeError):
    """What ``sys.exit()`` in a task of a run becomes: asyncio would end the loop."""

    def __init__(self, code: Any) -> None:
        super().__init__(code)
        self.code = code


def _described(error: BaseException | None) -> Any:
    """An error as JSON."""
    if error is None:
        return {"type": "stopped", "message": "the run stopped short"}
    if isinstance(error, (SystemExit, RunExited)):
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


class Run:
    """A job that this worker runs."""

    def __init__(
        self,
        delivery: Delivery,
        heartbeat: Heartbeat | AsyncHeartbeat,
        recorder: ChunkLog | AsyncChunkLog | None,
    ) -> None:
        self.delivery = delivery
        self.heartbeat = heartbeat
        self.recorder = recorder
        self.let_go: str | None = None
        """Why it is not waited for any more; its verdict counts for nothing then."""
        self.where: Callable[[], str] = lambda: ""
        """Shows where it stands."""

    @property
    def job(self) -> Job:
        """The job, as claimed."""
        return self.delivery.job

    def leave(self) -> None:
        """Nothing more is done for the job, whatever it still does."""
        self.heartbeat.leave()
        if self.recorder is not None:
            self.recorder.leave()


class WorkerBase(Generic[Saver]):
    """What :class:`~pgagent.worker.sync.Worker` and :class:`~pgagent.worker.aio.AsyncWorker` share:
    everything but how they wait. Their options are described there."""

    def __init__(
        self,
        graph: Pregel[Any, Any, Any, Any],
        source: Any = None,
        *,
        queues: Sequence[str] = ("default",),
        concurrency: int = 1,
        name: str | None = None,
        lease: float = 60.0,
        poll: float = 1.0,
        listen: str | None = None,
        on_leftovers: Leftovers = "keep",
        to_input: Callable[[Any], Any] = lambda payload: payload,
        to_result: Callable[[Any], Any] = last_word,
        is_fatal: Callable[[BaseException], bool] = has_gone_round,
        approval_timeout: float | None = None,
        drain_timeout: float | None = None,
        on_hang: OnHang = "exit",
        health_file: str | Path | None = None,
        stream_mode: StreamMode | Sequence[StreamMode] = "custom",
        on_chunk: Callable[[Job, str, Any], Any] | None = None,
        record_text: bool = False,
    ) -> None:
        if isinstance(queues, str):
            raise TypeError(f"queues is a list of names: queues=[{queues!r}]")
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}: a worker runs one job at least")
        if on_hang not in get_args(OnHang):
            raise ValueError(f"on_hang is {on_hang!r}: it must be 'exit' or 'replace'")
        if graph.checkpointer is None and source is not None:
            graph = graph.copy(update={"checkpointer": self._new_saver(source)})
        self._must_fit(graph)
        self.graph = graph
        self.saver: Saver = graph.checkpointer  # type: ignore[assignment]
        self.client: Any = self.saver.client if source is None else self._new_client(source)
        self.queues = list(queues)
        self.concurrency = concurrency
        self.name = name or f"{socket.gethostname()}:{os.getpid()}"
        self.lease = lease
        self.poll = poll
        self.listen = listen
        self.on_leftovers: Leftovers = on_leftovers
        self.to_input = to_input
        self.to_result = to_result
        self.is_fatal = is_fatal
        self.approval_timeout = approval_timeout
        self.drain_timeout = drain_timeout
        self.on_hang: OnHang = on_hang
        self.health = Health(health_file)
        self.stream_mode: list[StreamMode] = (
            [stream_mode] if isinstance(stream_mode, str) else list(stream_mode)
        )
        self.on_chunk = on_chunk
        self.record_text = record_text
        self._running: dict[UUID, Run] = {}
        self._stopping: str | None = None
        self._stops_at: float | None = None
        self._hinted = False
        self._hung: list[Run] = []
        self._fault: BaseException | None = None
        self._prepare()

    # --- what the two kinds do in their own way

    def _prepare(self) -> None:
        """Makes what it needs to wait."""
        raise NotImplementedError

    def _must_fit(self, graph: Pregel[Any, Any, Any, Any]) -> None:
        """Raises TypeError for a graph that this kind of worker cannot run."""
        raise NotImplementedError

    def _new_saver(self, source: Any) -> Any:
        raise NotImplementedError

    def _new_client(self, source: Any) -> Any:
        raise NotImplementedError

    def _new_recorder(self, job: Job) -> Any:
        raise NotImplementedError

    def _new_heartbeat(self, job: Job, control: Control) -> Any:
        raise NotImplementedError

    def _ring(self) -> None:
        """Ends a pause of the loop. From any thread."""
        raise NotImplementedError

    def _pause(self, seconds: float) -> Any:
        """Waits so long, or until the bell rings."""
        raise NotImplementedError

    def _sleep(self, seconds: float) -> Any:
        """Waits so long."""
        raise NotImplementedError

    def _start(self, run: Run) -> Any:
        """Begins to work on a job beside the loop."""
        raise NotImplementedError

    def _beside(self, function: Callable[..., Any], *args: Any) -> Do:
        """Does what may block."""
        raise NotImplementedError

    @property
    def hung(self) -> list[UUID]:
        """The jobs whose steps were given up and have not ended: this process cannot end them."""
        return [run.job.job_id for run in self._hung]

    # --- stopping

    def stop(self, *, timeout: float | None = None) -> None:
        """Drains: no further job is claimed, the steps under way end, their jobs go back with no
        attempt counted, and ``run`` returns. From any thread.

        Args:
            timeout: seconds the steps have; then their jobs go back all the same, and what they
                still write is refused. ``drain_timeout`` by default.
        """
        timeout = self.drain_timeout if timeout is None else timeout
        if self._stopping is None:
            self._stopping = "worker stops"
            log.info("stopping: %s jobs are under way", len(self._running))
        if timeout is not None:
            ends = time.monotonic() + timeout
            self._stops_at = ends if self._stops_at is None else min(ends, self._stops_at)
        for run in list(self._running.values()):
            run.delivery.control.request_drain(self._stopping)
        self._ring()

    def _signalled(self) -> None:
        """What a signal does: it drains, and a second one does not wait for the steps."""
        self.stop(timeout=None if self._stopping is None else 0.0)

    def _hint(self) -> None:
        """Somebody said that there is work."""
        self._hinted = True
        self._ring()

    # --- the loop

    def _serve(self, *, once: bool, max_jobs: int | None) -> Rule[int]:
        """Claims jobs and has them run until told to stop; how many were delivered."""
        if max_jobs is not None and max_jobs < 1:
            raise ValueError(f"max_jobs is {max_jobs}: it must be at least 1")
        self.health.begin()
        listener = Listener(self.listen or self.client.source, self.queues, self._hint, self.poll)
        delivered, hinted, away = 0, False, Pauses(None, min(self.poll, 0.5), LONGEST_AWAY)
        try:
            with about(worker=self.name):
                while True:
                    self.health.touch()
                    yield from self._let_go()
                    done = self._stopping or (max_jobs is not None and delivered >= max_jobs)
                    if done and not self._running:
                        break
                    free = 0 if done else self.concurrency - len(self._running)
                    if max_jobs is not None:
                        free = min(free, max_jobs - delivered)
                    if free == 0:
                        yield doing(self._pause, self._turn())
                        continue
                    # Before the look: what comes after it counts, a run that ends and lets a job in
                    # too.
                    self._hinted, idle = False, not self._running
                    jobs = yield from self._claim(free)
                    if jobs is None:
                        yield doing(self._pause, self._turn(away.next()))
                        continue
                    away = Pauses(None, min(self.poll, 0.5), LONGEST_AWAY)
                    for job in jobs:
                        delivered += 1
                        yield doing(self._start, self._new_run(job))
                    if jobs:
                        continue
                    if once and idle:
                        break
                    yield from self._look(listener)
                    pause = min(LOOK_AGAIN, self.poll) if hinted else self.poll
                    yield doing(self._pause, self._turn(pause * random.uniform(0.5, 1.0)))
                    hinted = self._hinted
        finally:
            yield self._beside(listener.stop)
            self.health.end()
        self._end()
        return delivered

    def _turn(self, pause: float | None = None) -> float:
        """How long a pause may be, given what has to be looked after meanwhile."""
        ends = [pause, self.health.every, 60.0]
        beats = [run.heartbeat for run in list(self._running.values())]
        if any(heartbeat.overdue_since is not None for heartbeat in beats):
            ends.append(GRACE / 5)
        elif any(heartbeat.deadline is not None for heartbeat in beats):
            ends.append(1.0)
        if self._stops_at is not None:
            ends.append(max(self._stops_at - time.monotonic(), 0.01))
        return min(end for end in ends if end is not None)

    def _end(self) -> None:
        """What ``run`` raises when it has drained.

        Raises:
            StepHung: a step went on past its deadline, or past the time to drain.
        """
        if self._fault is not None:
            raise self._fault
        if self._hung and (self.on_hang == "exit" or self._stops_at is not None):
            names = ", ".join(f"{run.job.job_id} ({run.let_go})" for run in self._hung)
            raise StepHung(
                f"steps of these jobs did not end: {names}. The jobs go on elsewhere; what is left "
                "here is refused. This process has work that nobody can end: start another"
            )

    def _claim(self, max_jobs: int) -> Rule[list[Job] | None]:
        """As many due jobs as there are free places; None where that cannot be had now."""
        try:
            claimed = yield doing(
                self.client.run,
                calls.claim_jobs(
                    self.name, queues=self.queues, max_jobs=min(max_jobs, 1_000), lease=self.lease
                ),
            )
        except psycopg.OperationalError as error:
            log.warning("no claim, trying again: %s", str(error).strip())
            return None
        except Exception as fault:  # noqa: BLE001 - raised by run(), when the jobs are given back
            self._fault = fault
            self.stop()
            return None
        jobs: list[Job] = claimed
        return jobs

    def _look(self, listener: Listener) -> Rule[None]:
        """Follows the setting ``notify``."""
        if listener.is_due():
            try:
                mode = yield doing(self.client.run, calls.notify_mode())
                yield self._beside(listener.follow, mode)
            except psycopg.Error as error:
                log.warning("no look at the setting notify: %s", str(error).strip())

    def _let_go(self) -> Rule[None]:
        """Gives up the places of steps that cannot be waited for."""
        late = None if self._stops_at is None else time.monotonic() - self._stops_at
        answers = True
        for run in list(self._running.values()):
            if late is not None and late >= 0 and run.let_go is None:
                answers = yield from self._give_back(run, tell=answers)
            overdue = run.heartbeat.overdue_since
            hangs = overdue is not None and time.monotonic() - overdue >= GRACE
            stays = late is not None and late >= (GRACE if self._can_cancel else 0.0)
            if hangs or stays:
                self._abandon(run)

    _can_cancel = False
    """Whether a run can be ended where it stands."""

    def _give_back(self, run: Run, *, tell: bool) -> Rule[bool]:
        """Gives a job back whose step is still under way: from here on, what it writes is refused.
        Whether the server answers; one that does not is not asked for each job."""
        run.let_go = "the time to drain was over"
        run.leave()
        run.delivery.control.cancel()
        log.warning("job %s goes back in the middle of a step", run.job.job_id)
        try:
            if tell:
                release = calls.release_job(run.job.job_id, run.job.fencing_token)
                yield doing(self.client.run, release)
            return tell
        except LOST as refusal:
            log.warning("job %s is not ours any more: %s", run.job.job_id, refusal.args[0])
            return True
        except psycopg.OperationalError as error:
            log.warning("jobs are left to their leases: %s", str(error).strip())
            return False

    def _abandon(self, run: Run) -> None:
        """Gives up the place of a run that does not end."""
        run.let_go = run.let_go or "it hung past its deadline"
        run.leave()
        self._running.pop(run.job.job_id, None)
        self._hung.append(run)
        log.error(
            "job %s of thread %s did not end, its place is given up: %s%s",
            run.job.job_id, run.job.thread_id, run.let_go, run.where(),
        )  # fmt: skip
        if self.on_hang == "exit":
            self.stop()

    # --- one job

    def _new_run(self, job: Job) -> Run:
        control = Control()
        heartbeat = self._new_heartbeat(job, control)
        recorder = self._new_recorder(job) if self.record_text else None
        delivery = Delivery(
            self.graph,
            self.saver,
            job,
            control,
            callbacks=(heartbeat,) if recorder is None else (heartbeat, recorder),
            on_leftovers=self.on_leftovers,
            to_input=self.to_input,
            stream_mode=self.stream_mode,
            on_chunk=self.on_chunk,
        )
        run = Run(delivery, heartbeat, recorder)
        self._running[job.job_id] = run
        if self._stopping is not None:
            control.request_drain(self._stopping)
        return run

    def _over(self, run: Run, fault: BaseException | None = None) -> None:
        """A run has ended, and its place is free. What no rule has foreseen ends the worker."""
        self._running.pop(run.job.job_id, None)
        if run in self._hung:
            self._hung.remove(run)
            log.warning("job %s has ended at last; its place was given up", run.job.job_id)
        if fault is not None and self._fault is None and run.let_go is None:
            self._fault = fault
            self.stop()
        self._ring()

    def _work(self, run: Run) -> Rule[None]:
        """Delivers a job and tells the server what became of it."""
        job = run.job
        fields = {"job_id": job.job_id, "thread_id": job.thread_id, "attempt": job.attempt}
        with about(worker=self.name, trace_id=job.trace_id, **fields):
            log.info("job %s of thread %s: attempt %s", job.job_id, job.thread_id, job.attempt)
            try:
                yield doing(run.heartbeat.begin)
                if run.recorder is not None:
                    yield doing(run.recorder.begin)
                try:
                    verdicts = yield from self._verdicts(run.delivery)
                finally:
                    if run.let_go is None:
                        if run.recorder is not None:
                            yield doing(run.recorder.end)
                        yield doing(run.heartbeat.end)
                # No renewal is under way any more: one that crossed the verdict would be refused.
                if run.heartbeat.lost is None and run.let_go is None:
                    yield from self._tell(*verdicts)
            except LOST as refusal:
                log.warning("job %s is not ours any more: %s", job.job_id, refusal.args[0])
            except psycopg.OperationalError as error:
                log.warning("job %s is left to its lease: %s", job.job_id, error)

    def _verdicts(self, delivery: Delivery) -> Rule[tuple[Call[str], ...]]:
        """Runs a delivery; the call that says what it came to, and others in case the server does
        not take that one."""
        ids = delivery.job.job_id, delivery.job.fencing_token
        if delivery.job.unreadable is not None:
            unreadable = BadArgument(f"Python cannot read the job: {delivery.job.unreadable}")
            return (calls.fail_job(*ids, _described(unreadable), fatal=True),)
        try:
            outcome = yield from resume.deliver(delivery)
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

    def _tell(self, *verdicts: Call[str]) -> Rule[None]:
        """Sends a verdict, again and again for as long as the lease may last; a smaller one when
        the server finds it too large."""
        verdict, *smaller = verdicts
        pauses = Pauses(self.lease, first=0.1)
        while True:
            try:
                yield doing(self.client.run, verdict)
                return
            except LimitExceeded:
                if not smaller:
                    raise
                verdict, *smaller = smaller
            except psycopg.OperationalError:
                seconds = pauses.next()
                if seconds is None:
                    raise
                yield doing(self._sleep, seconds)
