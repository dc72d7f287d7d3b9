"""What keeps a job while its graph runs, and stops the run that has lost it."""

from __future__ import annotations

import logging
import random
import time
from threading import Event, Thread
from typing import Any

import psycopg
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.runtime import RunControl

from pgagent.calls import Job
from pgagent.client import Client
from pgagent.fence import LOST, LeaseLost

log = logging.getLogger("pgagent.worker")  # one place to listen to what becomes of a job


class Heartbeat(BaseCallbackHandler):
    """Keeps the lease of one job while its graph runs, and stops the run when that cannot be done.

    Renews at a third of the lease, on a thread of its own. The run is lost when the server says so,
    or when two thirds of the lease have passed without a word from it, by this process's monotonic
    clock. From then on no further step, model call or tool call begins.

    As a callback handler it stands before every node, model and tool of the run, subgraphs
    included.
    """

    raise_error = True
    run_inline = True

    def __init__(self, client: Client, job: Job, control: RunControl, lease: float) -> None:
        self.client = client
        self.job = job
        self.control = control
        self.lease = lease
        self._refusal: str | None = None
        self._heard = time.monotonic()
        self._done = Event()
        self._thread = Thread(
            target=self._beat, name=f"pgagent-heartbeat-{job.job_id}", daemon=True
        )

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def lost(self) -> str | None:
        """Why the run is lost; None while it is ours. Does not need the heartbeat's thread: that
        may hang on the network, and a process that was stopped goes on with any of its threads."""
        if self._refusal is None and time.monotonic() - self._heard > self.lease * 2 / 3:
            self._refusal = "the server did not answer for two thirds of the lease"
        return self._refusal

    def _beat(self) -> None:
        while self.lost is None and not self._done.wait(self.lease / 3 * random.uniform(0.8, 1.0)):
            asked = time.monotonic()
            try:
                lease = self.client.renew_lease(self.job.job_id, self.job.fencing_token)
            except LOST as refusal:
                self._refusal = str(refusal.args[0])
            except psycopg.Error as error:
                log.warning("no renewal for job %s: %s", self.job.job_id, error)
            else:
                self._heard = asked
                if lease.cancel_requested:
                    self.control.request_drain("cancelled")
        if self.lost is not None:
            log.warning(
                "lost job %s of thread %s: %s", self.job.job_id, self.job.thread_id, self.lost
            )
            self.control.request_drain("lease lost")

    def _check(self, *args: Any, **kwargs: Any) -> None:
        lost = self.lost
        if lost is not None:
            raise LeaseLost(lost, hint="Let this error through: the job runs elsewhere.")

    on_chain_start = on_chat_model_start = on_llm_start = on_tool_start = _check
