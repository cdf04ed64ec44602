"""Runs the page on the loopback interface."""

from __future__ import annotations

import gc
import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from piecework.play.access import Access
from piecework.play.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from piecework.play.session import Session

HOST = "127.0.0.1"


def serve(session: Session, *, port: int = 0, on_start: Callable[[str], object]) -> None:
    """Serves the page until the program is interrupted.

    Args:
        session: The tokenizers.
        port: The port; 0 for any free one.
        on_start: A function that gets the address of the page, which contains a token of its own.

    Raises:
        OSError: The port is in use, or needs other rights.
    """
    token = secrets.token_urlsafe(16)
    config = uvicorn.Config(
        Access(create_app(session), token),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    gc.freeze()  # What is loaded stays: a collection during an answer need not visit it, which took a third of the time.
    with socket.create_server((HOST, port)) as listener:
        # Connections have it too; without it a browser gets the second packet of an answer 40 ms after the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Connections wait from now on until the server runs.
        on_start(f"http://{HOST}:{listener.getsockname()[1]}/{token}/")
        with suppress(KeyboardInterrupt):  # which ends the server, and then is raised again
            uvicorn.Server(config).run(sockets=[listener])
