"""For tests of one's own agents: a server, a clock to move, and a place to crash.

With pytest, one line in ``conftest.py`` brings the fixtures of `pgagent.testing.fixtures`::

    pytest_plugins = ["pgagent.testing.fixtures"]

    def test_a_lease_runs_out(pgagent_dsn, pgagent_clock):
        with Client(pgagent_dsn) as client:
            ...
            pgagent_clock.advance(61)
"""

from pgagent.embedded import Server
from pgagent.testing.clock import Clock
from pgagent.testing.crash import crash_at
from pgagent.testing.databases import Databases

__all__ = ["Clock", "Databases", "Server", "crash_at"]
