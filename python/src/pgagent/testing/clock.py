"""A clock that tests move instead of sleeping."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from psycopg import Connection

_SQL = Path(__file__).with_name("clock.sql")


class Clock:
    """Moves ``pgagent._now()`` of one test database, for all its sessions at once.

    Args:
        dsn: of the database, as its owner.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    @staticmethod
    def install(dsn: str) -> None:
        """Replace the clock of a test database by one that can be moved; never of a real one."""
        with Connection.connect(dsn) as connection:
            connection.execute(_SQL.read_bytes())

    def advance(self, by: float | timedelta) -> None:
        """Move the clock.

        Args:
            by: seconds, or a timedelta.
        """
        shift = by if isinstance(by, timedelta) else timedelta(seconds=by)
        with Connection.connect(self._dsn, autocommit=True) as connection:
            connection.execute("select pgagent_test.advance_for_all(%s)", (shift,))

    def reset(self) -> None:
        """Set the clock right again."""
        with Connection.connect(self._dsn, autocommit=True) as connection:
            connection.execute("select pgagent_test.reset_for_all()")
