"""A server of one's own: it survives kills, and leaves nothing behind."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pgagent.embedded import Server, ServerError, find_binaries

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(fsync=False) as server:
        yield server


def processes_of(server: Server) -> list[str]:
    """Return the command lines of a server's processes that are alive."""
    return [command for command in commands_with(server.datadir) if "postgres" in command]


def commands_with(path: Path) -> list[str]:
    """Return the command lines that name a path, of processes that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_text()
        except OSError:
            continue
        if str(path) in command:
            found.append(command)
    return found


def test_what_was_committed_survives_the_kill_of_all_processes(server: Server) -> None:
    server.psql("-c", "create table kept as select 1 as one")
    server.kill()
    assert not server.running
    assert not processes_of(server)
    with pytest.raises(ServerError):
        server.psql("-c", "select 1")
    port = server.port
    server.start()
    assert server.psql("-c", "select one from kept") == "1"
    assert server.port == port


@pytest.mark.parametrize("mode", ["smart", "fast", "immediate"])
def test_a_restart_keeps_the_port_and_takes_new_settings(server: Server, mode) -> None:
    server.psql("-c", "create table kept as select 1 as one")
    port = server.port
    server.settings["work_mem"] = "5MB"
    server.restart(mode)
    assert server.psql("-c", "select one from kept") == "1"
    assert server.psql("-c", "show work_mem") == "5MB"
    assert server.port == port


def test_fsync_is_on_unless_it_was_turned_off(server: Server) -> None:
    assert server.psql("-c", "show fsync") == "off"
    with Server() as careful:
        assert careful.psql("-c", "show fsync") == "on"


def test_a_throwaway_server_leaves_neither_files_nor_processes() -> None:
    with Server(fsync=False) as server:
        home = server.datadir.parent
        assert home.exists()
    assert not home.exists()
    assert not processes_of(server)


def test_a_kept_data_directory_is_left_and_found_again(tmp_path_factory) -> None:
    base = Path("/var/tmp") if os.geteuid() == 0 else tmp_path_factory.mktemp("kept")
    datadir = base / f"pgagent-kept-{os.getpid()}"
    try:
        with Server(datadir=datadir, fsync=False) as server:
            server.psql("-c", "create table kept as select 1 as one")
        assert datadir.exists()
        with Server(datadir=datadir, fsync=False) as server:
            assert server.psql("-c", "select one from kept") == "1"
    finally:
        shutil.rmtree(datadir, ignore_errors=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_program_that_is_told_to_end_stops_its_server(number: signal.Signals) -> None:
    program = """
import time
from pgagent.embedded import Server
with Server(fsync=False) as server:
    print(server.datadir, server.pid, flush=True)
    time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        datadir, pid = process.stdout.readline().split()
        process.send_signal(number)
        assert process.wait(20) != 0
    assert not Path(datadir).parent.exists()
    assert not Path(f"/proc/{pid}").exists()


def test_a_program_that_is_killed_leaves_no_server() -> None:
    program = """
import os, signal
from pgagent.embedded import Server
with Server(fsync=False) as server:
    print(server.datadir, server.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    datadir, pid = done.stdout.split()
    deadline = time.monotonic() + 20
    try:
        while Path(datadir).parent.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not Path(datadir).parent.exists()
        assert not Path(f"/proc/{pid}").exists()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
        shutil.rmtree(Path(datadir).parent, ignore_errors=True)


def test_a_program_that_is_killed_during_initdb_leaves_no_directory() -> None:
    program = """
import os, signal, subprocess
from pgagent.embedded import Server
class Killed(Server):
    def _run(self, *command):
        if command[0] != self.bin("initdb"):
            return super()._run(*command)
        print(self.datadir.parent, flush=True)
        subprocess.Popen(command, user=self._user, stdout=subprocess.DEVNULL)
        os.kill(os.getpid(), signal.SIGKILL)
Killed(fsync=False)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    home = Path(done.stdout.strip())
    deadline = time.monotonic() + 30
    while (home.exists() or commands_with(home)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not commands_with(home)
    assert not home.exists()


def test_a_second_interrupt_while_it_is_removed_leaves_nothing() -> None:
    program = """
import shutil
from pgagent.embedded import Server
def interrupted(*_, **__):
    raise KeyboardInterrupt
with Server(fsync=False) as server:
    print(server.datadir.parent, flush=True)
    shutil.rmtree = interrupted
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    home = Path(done.stdout.strip())
    assert "KeyboardInterrupt" in done.stderr
    deadline = time.monotonic() + 20
    while home.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not home.exists()


def test_a_server_without_context_manager_ends_with_the_program() -> None:
    program = """
from pgagent.embedded import Server
server = Server(fsync=False).start()
print(server.datadir, server.pid)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    datadir, pid = done.stdout.split()
    assert not Path(datadir).parent.exists()
    assert not Path(f"/proc/{pid}").exists()


def test_the_parent_keeps_its_server_when_a_forked_child_ends(server: Server) -> None:
    child = os.fork()
    if child == 0:
        server.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert server.psql("-c", "select 1") == "1"


def test_a_server_that_cannot_start_says_why() -> None:
    with pytest.raises(ServerError, match="shared_buffers"):
        Server(fsync=False, settings={"shared_buffers": "nonsense"}).start()


def test_a_directory_of_others_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").touch()
    owner = tmp_path.owner()
    with pytest.raises(ServerError, match="is neither empty nor a data directory"):
        Server(datadir=tmp_path)
    assert tmp_path.owner() == owner


def test_a_data_directory_that_cannot_be_made_is_an_error_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ServerError, match=f"{tmp_path}/file/data: Not a directory"):
        Server(datadir=tmp_path / "file" / "data")


def test_the_extension_is_found_without_touching_the_installation(server: Server) -> None:
    assert server.version >= 18
    server.psql("-c", "create extension pgagent")
    assert server.psql("-c", "select extname from pg_extension where extname = 'pgagent'")
    assert not (find_binaries().parent / "share" / "extension" / "pgagent.control").exists()


@needs_root
def test_root_may_use_programs_that_only_root_can_reach() -> None:
    """A venv below /root, with its directory closed to others."""
    package = find_binaries().parents[1]
    hidden = Path(f"/root/.pgagent-test-{os.getpid()}")
    hidden.mkdir(mode=0o700)
    try:
        for directory in (package, package.with_suffix(".libs")):
            if directory.exists():
                shutil.copytree(directory, hidden / directory.name, symlinks=True)
        with Server(hidden / package.name / "pginstall" / "bin", fsync=False) as server:
            assert server.psql("-c", "create extension pgagent") == ""
    finally:
        shutil.rmtree(hidden)


@needs_root
def test_a_plain_user_may_use_it() -> None:
    """As any user who is not root; with an interpreter that this user can reach."""
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python outside the home of root")
    module = Path(sys.modules["pgagent.embedded"].__file__ or "")
    program = f"""
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(module.parent)!r})
import embedded
with embedded.Server(embedded.Path({str(find_binaries())!r}), fsync=False) as server:
    print(server.psql("-c", "select 1"))
"""
    done = subprocess.run(
        [python, "-c", program],
        user="nobody",
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "1\n", done.stderr


def test_a_killed_server_recovers_within_a_few_seconds(server: Server) -> None:
    server.psql("-c", "create table t as select generate_series(1, 100000) as n")
    server.kill()
    started = time.monotonic()
    server.start()
    assert time.monotonic() - started < 10
    assert server.psql("-c", "select count(*) from t") == "100000"
