"""A way to the server that takes time, and counts what it carries."""

from __future__ import annotations

import asyncio
import multiprocessing
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

_spawn = multiprocessing.get_context("spawn")


class Proxy:
    """Where to connect instead, and the bytes that came from the server so far."""

    def __init__(self, dsn: str, port: int, received: Any) -> None:
        parts = urlsplit(dsn)
        host = f"{parts.username}@127.0.0.1:{port}"
        self.dsn = urlunsplit(parts._replace(netloc=host))
        self._received = received

    @property
    def received(self) -> int:
        """Bytes from the server to clients."""
        return self._received.value


@contextmanager
def proxy(dsn: str, round_trip: float = 0.0) -> Iterator[Proxy]:
    """A proxy in a process of its own.

    Args:
        dsn: of a server that listens on TCP.
        round_trip: seconds that it adds, half of them each way; what is sent meanwhile overlaps.
    """
    received = _spawn.Value("Q", 0)
    here, there = _spawn.Pipe()
    process = _spawn.Process(
        target=_serve, args=(urlsplit(dsn).port, round_trip / 2, received, there), daemon=True
    )
    process.start()
    try:
        yield Proxy(dsn, here.recv(), received)
    finally:
        process.terminate()
        process.join()


def _serve(port: int, delay: float, received: Any, there: Any) -> None:
    async def carry(
        source: asyncio.StreamReader, target: asyncio.StreamWriter, *, count: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def deliver() -> None:
            while True:
                due, data = await under_way.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not data:
                    break
                target.write(data)
                await target.drain()
            target.close()

        delivery = asyncio.create_task(deliver())
        data = b"-"
        while data:
            try:
                data = await source.read(1 << 18)
            except ConnectionError:
                data = b""
            if count:
                received.value += len(data)
            under_way.put_nowait((loop.time() + delay, data))
        await asyncio.gather(delivery, return_exceptions=True)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(
            carry(reader, up_writer, count=False), carry(up_reader, writer, count=True)
        )

    async def main() -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        there.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())
