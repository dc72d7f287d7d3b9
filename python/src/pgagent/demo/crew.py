"""The worker processes: started, killed, stopped, and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pgagent.demo.probe import Phase, Probe
from pgagent.demo.worker import WorkerConfig


@dataclass(eq=False)
class WorkerProcess:
    """One worker process."""

    name: str
    process: subprocess.Popen[bytes]
    probe: Probe
    log: Path
    stopped: bool = False

    @property
    def alive(self) -> bool:
        """Whether the process runs, or is stopped."""
        return self.process.poll() is None

    @property
    def phase(self) -> Phase:
        """Where it is with its job, or was when it died."""
        return self.probe.phase

    def kill(self) -> Phase:
        """End it with SIGKILL; the phase it died in."""
        self.process.kill()
        self.process.wait()
        return self.phase

    def stop(self) -> None:
        """Stop it with SIGSTOP until `go_on`; returns when it stands."""
        self.process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        self.stopped = os.WIFSTOPPED(status)

    def go_on(self) -> None:
        """Let it go on where it was stopped."""
        self.process.send_signal(signal.SIGCONT)
        self.stopped = False


@dataclass
class Crew:
    """As many workers as were asked for: whoever died is replaced.

    Args:
        size: how many.
        directory: for their logs and probes.
        config_of: what a worker has to know, by its name and the path of its probe.
    """

    size: int
    directory: Path
    config_of: Callable[[str, Path], WorkerConfig]
    faults: list[str] = field(default_factory=list)
    """Workers that ended although nobody killed them."""

    def __post_init__(self) -> None:
        self.workers: list[WorkerProcess] = []
        self._started = 0

    def start_missing(self) -> None:
        """Start workers where some are missing."""
        while len(self.workers) < self.size:
            self.workers.append(self._start(len(self.workers)))
        for slot, worker in enumerate(self.workers):
            if not worker.alive:
                if worker.process.returncode != -signal.SIGKILL:
                    tail = "\n".join(worker.log.read_text(errors="replace").splitlines()[-15:])
                    self.faults.append(
                        f"{worker.name} ended by itself ({worker.process.returncode}):\n{tail}"
                    )
                worker.probe.close()
                self.workers[slot] = self._start(slot)

    def close(self) -> None:
        """End all workers: those that can in peace, the others not."""
        for worker in self.workers:
            if worker.stopped:
                worker.go_on()
            worker.process.terminate()
        for worker in self.workers:
            try:
                worker.process.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _start(self, slot: int) -> WorkerProcess:
        self._started += 1
        name = f"worker-{slot + 1}.{self._started}"
        probe = self.directory / f"{name}.probe"
        log = self.directory / f"{name}.log"
        watched = Probe(probe, create=True)
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "pgagent.demo.worker",
                    self.config_of(name, probe).to_json(),
                ],
                stdin=subprocess.PIPE,  # its end tells the worker that we are gone
                stdout=stream,
                stderr=stream,
                # Ctrl-C is for us. And a process group that loses its last parent in the session
                # is told to go on if it was stopped, and to end.
                process_group=0,
            )
        return WorkerProcess(name, process, watched, log)
