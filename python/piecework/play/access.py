"""Decides which requests reach the page: those of this machine's browser, with the token, and of bounded size."""

from __future__ import annotations

from secrets import compare_digest
from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_REQUEST = 1 << 23
"""The largest size of a request in bytes."""
MAX_FILE = 3 << 25
"""The largest size of a request with files of a tokenizer: 64 MiB of them, in Base64."""
MAX_BODY_SECONDS = 30
"""The time in which the whole body of a request must arrive."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""The headers of every response. Scripts and styles come from files alone, and nothing is loaded from elsewhere."""
_LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}


class Access:
    """Refuses requests that do not come from the page; an ASGI application around another one.

    * The address must begin with the token, which only this user's terminal and browser know.
    * The header Host must name the loopback interface: another name that resolves to it belongs to a foreign page.
    * The header Origin, if there is one, must be that of the page.
    * The body must not be larger than the limit, whether or not its length is declared.
    * The body must arrive in time; otherwise the connection is closed.
    """

    def __init__(
        self, app: ASGIApp, token: str, *, max_body_seconds: float = MAX_BODY_SECONDS
    ) -> None:
        """Wraps an application.

        Args:
            app: The application, which sees paths without the token.
            token: The first part of each path.
            max_body_seconds: The time in which the body of a request must arrive.
        """
        self._app, self._prefix = app, f"/{token}/"
        self._max_body_seconds = max_body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send)
        if (problem := self._problem(scope)) is not None:
            # What is left of the body is not read.
            refusal = _refused(403, problem, "open the address as printed", connection="close")
            await refusal(scope, receive, sending)
            return
        path = scope["path"].removeprefix(self._prefix)
        limit = MAX_FILE if path == "api/tokenizers" else MAX_REQUEST
        try:
            with anyio.fail_after(self._max_body_seconds):
                body = await _read(scope, receive, limit)
        except TimeoutError:
            problem = f"the body did not arrive within {self._max_body_seconds:g} seconds"
            too_slow = _refused(408, problem, "send the request again", connection="close")
            await too_slow(scope, receive, sending)
            return
        if body is None:
            too_large = _refused(413, f"expected at most {limit:,} bytes", "send less text")
            await too_large(scope, receive, sending)
            return
        inner = {**scope, "path": f"/{path}", "raw_path": f"/{path}".encode(), "root_path": ""}
        await self._app(inner, _receiving(body, receive), sending)

    def _problem(self, scope: Scope) -> str | None:
        """Returns why a request is not one of the page; None if it is."""
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or _without_port(hosts[0]) not in _LOOPBACK:
            return "the header Host does not name this machine"
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return "the request comes from another page"
        start = scope["path"][: len(self._prefix)]
        if not compare_digest(start.encode("utf-8", "surrogateescape"), self._prefix.encode()):
            return "the address has no valid token"
        return None


def _values(scope: Scope, name: bytes) -> list[str]:
    """Returns the values of a header, which can occur several times."""
    return [value.decode("latin-1") for own, value in scope["headers"] if own == name]


def _without_port(host: str) -> str:
    """Returns the name in a header Host.

    >>> _without_port("[::1]:80"), _without_port("localhost")
    ('[::1]', 'localhost')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def _refused(status: int, problem: str, hint: str, **headers: str) -> JSONResponse:
    return JSONResponse({"error": problem, "hint": hint}, status, headers)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending


async def _read(scope: Scope, receive: Receive, limit: int) -> bytes | None:
    """Returns the body of a request; None if it is larger than the limit, or the connection ends."""
    if any(
        length.isdecimal() and int(length) > limit for length in _values(scope, b"content-length")
    ):
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _receiving(body: bytes, receive: Receive) -> Receive:
    """Returns a function that returns the body, then what follows it, such as the end of the connection."""
    unread = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return unread.pop() if unread else await receive()

    return receiving
