"""PgBouncer in transaction mode, in front of a test server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from harness import databases

if TYPE_CHECKING:
    from collections.abc import Iterator

UNPRIVILEGED = databases.embedded.UNPRIVILEGED


@contextmanager
def pooler(dsn: str, users: list[str], *, pool_size: int = 2) -> Iterator[str]:
    """Yield a connection string that leads to ``dsn``'s server through a pooler.

    A database's clients of one user share ``pool_size`` connections; each has one for the length of
    a transaction.
    """
    server = conninfo_to_dict(dsn)
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise RuntimeError("there is no pgbouncer; Debian and Ubuntu: apt-get install pgbouncer")
    with tempfile.TemporaryDirectory(prefix="pgagent-pooler-") as directory:
        home = Path(directory)
        home.chmod(0o755)
        port = databases.embedded._free_port()
        (home / "users").write_text("".join(f'"{user}" ""\n' for user in users))
        (home / "ini").write_text(f"""
            [databases]
            * = host={server["host"]} port={server["port"]}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {port}
            unix_socket_dir =
            auth_type = trust
            auth_file = {home / "users"}
            pool_mode = transaction
            default_pool_size = {pool_size}
            max_client_conn = 500
            server_round_robin = 1
        """)
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                [program, home / "ini"],
                user=UNPRIVILEGED if os.geteuid() == 0 else None,
                stdout=log,
                stderr=log,
            )
        try:
            through = make_conninfo(dsn, host="127.0.0.1", port=port, user=users[0])
            _await(process, through, home / "log")
            yield through
        finally:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], dsn: str, log: Path) -> None:
    give_up = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > give_up:
                said = log.read_text(errors="replace")
                raise RuntimeError(f"pgbouncer did not start: {error}\n{said}") from None
            time.sleep(0.02)
        else:
            return
