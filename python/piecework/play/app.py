"""Answers the requests of the page: its files, and JSON."""

from __future__ import annotations

import json
import math
import traceback
from importlib import resources
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from piecework.errors import PieceworkError
from piecework.play.answers import ANSWERS, Answer, describe_session
from piecework.play.cancellation import Cancellation, CancelledAnswerError
from piecework.play.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

    from piecework.play.session import Session

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_PAGE = "index.html"
MAX_SECONDS: Mapping[str, float] = {**dict.fromkeys(ANSWERS, 30), "trace": 120}
"""The time that each kind of answer may take; that of a training is longer."""


def create_app(session: Session, max_seconds: Mapping[str, float] = MAX_SECONDS) -> Starlette:
    """Returns the application that answers the page; wrap it in :class:`~piecework.play.access.Access`.

    Args:
        session: The tokenizers of the page.
        max_seconds: The time that each kind of answer may take.

    Returns:
        An ASGI application.
    """
    routes = [Route("/", _asset(_PAGE))]
    # Each file of the page has a route of its own, so no path is looked up on the disk.
    routes += [Route(f"/{name}", _asset(name)) for name in _asset_names()]

    async def describe(_: Request) -> Response:
        return _json(describe_session(session))

    routes.append(Route("/api/session", describe, methods=["GET"]))
    routes += [
        Route(f"/api/{name}", _answering(answer, session, max_seconds[name]), methods=["POST"])
        for name, answer in ANSWERS.items()
    ]
    app = Starlette(routes=routes)
    # A redirect would lead to an address without the token, which Access removes.
    app.router.redirect_slashes = False
    return app


def _asset_names() -> list[str]:
    folder = resources.files("piecework.play") / "assets"
    return sorted(
        each.name
        for each in folder.iterdir()
        if each.name.endswith(tuple(_TYPES)) and each.name != _PAGE
    )


def _asset(name: str) -> Callable[[Request], Awaitable[Response]]:
    """Returns a function that answers with a file of the page."""
    content = (resources.files("piecework.play") / "assets" / name).read_bytes()
    media_type = _TYPES[name[name.rindex(".") :]]

    async def answer(_: Request) -> Response:
        return Response(content, media_type=media_type)

    return answer


def _answering(
    answer: Answer, session: Session, max_seconds: float
) -> Callable[[Request], Awaitable[Response]]:
    """Returns a function that answers a request with JSON, in a thread of its own."""

    def answered(body: bytes, cancellation: Cancellation) -> Response:
        try:
            found = answer(session, Fields(body), cancellation)
            cancellation.check()
            return _json(found)
        except PieceworkError as error:
            return JSONResponse({"error": str(error)}, 400)
        except CancelledAnswerError:
            return _unanswered()
        except Exception as error:  # noqa: BLE001  # a defect of an answer, which must not stay unseen
            traceback.print_exc()
            problem = f"piecework failed ({type(error).__name__})"
            return JSONResponse({"error": problem, "hint": "the terminal shows where"}, 500)

    async def run(request: Request) -> Response:
        body = await request.body()
        cancellation = Cancellation()

        async def answer_in_thread() -> Response:
            with anyio.move_on_after(max_seconds):
                # The server ends without waiting for an answer that takes long.
                return await anyio.to_thread.run_sync(
                    answered, body, cancellation, abandon_on_cancel=True
                )
            problem = f"stopped after {max_seconds:g} seconds, the most that an answer may take"
            return JSONResponse({"error": problem, "hint": "use less text or fewer entries"}, 503)

        try:
            return await _while_connected(request, answer_in_thread)
        finally:
            cancellation.cancel()

    return run


async def _while_connected(request: Request, answer: Callable[[], Awaitable[Response]]) -> Response:
    """Returns an answer, unless the client closes the connection before: then the answer is cancelled."""
    response = _unanswered()
    async with anyio.create_task_group() as tasks:

        async def cancel_at_end() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(cancel_at_end)
        response = await answer()
        tasks.cancel_scope.cancel()
    return response


def _unanswered() -> Response:
    """Returns what is sent to nobody: the client has closed the connection, or has another answer."""
    return Response(status_code=503)


def _json(value: Any) -> Response:
    """Returns a value as JSON; a number that JSON has not is null."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "backslashreplace"), media_type="application/json")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
