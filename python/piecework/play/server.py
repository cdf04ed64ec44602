"""Runs the page on the loopback interface."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

import uvicorn

from piecework.play.access import Access
from piecework.play.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.play.session import Session

__all__ = ["serve"]

HOST = "127.0.0.1"


class _Server(uvicorn.Server):
    """Reports its port as soon as it answers."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[int], object]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            self._on_start(self.servers[0].sockets[0].getsockname()[1])


def serve(session: Session, *, port: int = 0, on_start: Callable[[str], object]) -> bool:
    """Serves the page until the program is interrupted.

    Args:
        session: The tokenizers.
        port: The port; 0 for any free one.
        on_start: A function that gets the address of the page, which contains a token of its own.

    Returns:
        Whether the port was free.
    """
    token = secrets.token_urlsafe(16)
    config = uvicorn.Config(
        Access(create_app(session), token),
        host=HOST,
        port=port,
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = _Server(config, lambda actual: on_start(f"http://{HOST}:{actual}/{token}/"))
    try:
        asyncio.run(server.serve())
    except SystemExit:  # uvicorn's answer to a port that is taken
        return False
    return server.started
