"""What all tests share: the fixtures of pgagent.testing, and the server that is installed here."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pgagent.embedded import Server

pytest_plugins = ["pgagent.testing.fixtures", "support.fixtures"]


@pytest.fixture(scope="session")
def installed_server() -> Iterator[Server]:
    """A server of the installed PostgreSQL, which does not have the extension's files."""
    pg_config = shutil.which(os.environ.get("PG_CONFIG", "pg_config"))
    assert pg_config, "these tests need an installed PostgreSQL 15 or later"
    done = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True)
    with Server(Path(done.stdout.strip()), fsync=False, share=None) as server:
        yield server
