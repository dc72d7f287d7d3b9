"""What pgagent.testing gives to others' tests."""

import subprocess
import sys
from datetime import timedelta

import psycopg
import pytest

from pgagent.testing import Clock

SHIFT = "select pgagent._now() - clock_timestamp()"


def test_the_clock_moves_for_sessions_that_are_open(pgagent_dsn: str, pgagent_clock: Clock) -> None:
    with psycopg.connect(pgagent_dsn) as connection:
        connection.execute("set transaction isolation level repeatable read")
        connection.execute("select 1")
        pgagent_clock.advance(61)
        pgagent_clock.advance(timedelta(days=1))
        (shift,) = connection.execute(SHIFT).fetchone() or (None,)
        assert timedelta(days=1, seconds=60) < shift < timedelta(days=1, seconds=62)
        pgagent_clock.reset()
        (shift,) = connection.execute(SHIFT).fetchone() or (None,)
        assert abs(shift) < timedelta(seconds=1)


def test_the_clock_of_another_database_stands_still(pgagent_dsn: str, pgagent_databases) -> None:
    other = pgagent_databases.server.dsn(pgagent_databases.make())
    Clock(other).advance(3600)
    with psycopg.connect(pgagent_dsn) as connection:
        (shift,) = connection.execute(SHIFT).fetchone() or (None,)
    assert abs(shift) < timedelta(seconds=1)


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(("when", "said"), [("before", "1"), ("after", "12")])
def test_a_process_crashes_at_the_chosen_call(kind: str, when: str, said: str) -> None:
    call = "asyncio.run(saver.put(n))" if kind == "async def" else "saver.put(n)"
    program = f"""
import asyncio
from pgagent.testing import crash_at
class Saver:
    {kind} put(self, n):
        print(n, end="", flush=True)
saver = Saver()
crash_at(saver, "put", 2, when="{when}")
for n in (1, 2, 3):
    {call}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9
    assert done.stdout == said
