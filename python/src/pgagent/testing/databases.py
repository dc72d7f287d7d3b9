"""Databases with pgagent in them, made quickly from a template."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pgagent import install
from pgagent.testing.clock import Clock

if TYPE_CHECKING:
    from pgagent.embedded import Server


class Databases:
    """Makes databases on one server: each with pgagent and a clock that can be moved.

    Args:
        server: a server that runs.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        self._template = self.empty()
        install.install(server.dsn(self._template))
        Clock.install(server.dsn(self._template))

    def make(self) -> str:
        """Make a database with pgagent; return its name."""
        return self._create(f' template "{self._template}"')

    def empty(self) -> str:
        """Make a database without pgagent; return its name."""
        return self._create("")

    def drop(self, name: str) -> None:
        """Drop a database with all its connections."""
        self.server.psql("-c", f'drop database if exists "{name}" with (force)')

    def _create(self, options: str) -> str:
        name = f"test_{next(self._numbers)}"
        self.server.psql("-c", f'create database "{name}"{options}')
        return name
