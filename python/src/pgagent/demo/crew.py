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
from pgagent.demo.worker import Post


@dataclass(eq=False)
class Hand:
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
        post: what a worker of a name has to know, but for the probe.
    """

    size: int
    directory: Path
    post: Callable[[str, Path], Post]
    faults: list[str] = field(default_factory=list)
    """Workers that ended although nobody killed them."""

    def __post_init__(self) -> None:
        self.hands: list[Hand] = []
        self._hired = 0

    def muster(self) -> None:
        """Start workers where some are missing."""
        while len(self.hands) < self.size:
            self.hands.append(self._hire(len(self.hands)))
        for slot, hand in enumerate(self.hands):
            if not hand.alive:
                if hand.process.returncode != -signal.SIGKILL:
                    tail = "\n".join(hand.log.read_text(errors="replace").splitlines()[-15:])
                    self.faults.append(
                        f"{hand.name} ended by itself ({hand.process.returncode}):\n{tail}"
                    )
                hand.probe.close()
                self.hands[slot] = self._hire(slot)

    def dismiss(self) -> None:
        """End all workers: those that can in peace, the others not."""
        for hand in self.hands:
            if hand.stopped:
                hand.go_on()
            hand.process.terminate()
        for hand in self.hands:
            try:
                hand.process.wait(10)
            except subprocess.TimeoutExpired:
                hand.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.dismiss()

    def _hire(self, slot: int) -> Hand:
        self._hired += 1
        name = f"worker-{slot + 1}.{self._hired}"
        probe = self.directory / f"{name}.probe"
        log = self.directory / f"{name}.log"
        watched = Probe(probe, create=True)
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "pgagent.demo.worker", self.post(name, probe).to_json()],
                stdin=subprocess.PIPE,  # its end tells the worker that we are gone
                stdout=stream,
                stderr=stream,
                start_new_session=True,  # Ctrl-C is for us
            )
        return Hand(name, process, watched, log)
