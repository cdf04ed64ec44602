"""The server of the page: who may ask it, what it refuses, and what its answers allow the browser."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import piecework as pw

pytest.importorskip("starlette", reason="the extra `play` is not installed")

import asyncio

from piecework.play import Session, create_app
from piecework.play.access import MAX_FILE, MAX_REQUEST, Access
from piecework.play.cancellation import Cancellation
from piecework.play.fields import Fields

TOKEN = "secret-token"
GOOD = {"host": "127.0.0.1:8000"}


def application(token: str = TOKEN) -> Access:
    vocab = "[UNK]\nhug\n##s\npug\n"
    return Access(create_app(Session({"hug": pw.Tokenizer.from_str(vocab)})), token)


class Answer:
    """Holds the answer to a request."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        start, *rest = messages
        self.status = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.body = b"".join(message.get("body", b"") for message in rest)

    @property
    def error(self) -> str:
        return str(json.loads(self.body)["error"])


def request(
    path: str,
    body: bytes = b"",
    *,
    method: str | None = None,
    headers: dict[str, str] | None = None,
    repeated: tuple[tuple[str, str], ...] = (),
    chunk: int | None = None,
) -> Answer:
    """Sends a request to the application, without a network."""
    given = GOOD if headers is None else headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method or ("POST" if body else "GET"),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in (*given.items(), *repeated)],
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 9),
    }
    size = chunk or max(len(body), 1)
    chunks = [body[start : start + size] for start in range(0, len(body), size)] or [b""]
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": each, "more_body": number < len(chunks)}
        for number, each in enumerate(chunks, 1)
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        # The connection stays open.
        return messages.pop(0) if messages else await asyncio.Event().wait()  # type: ignore[return-value]

    async def send(message: Any) -> None:
        sent.append(message)

    run: Callable[..., Awaitable[None]] = application()
    asyncio.run(run(scope, receive, send))  # type: ignore[arg-type]
    return Answer(sent)


def ask(name: str, **members: Any) -> Answer:
    return request(f"/{TOKEN}/api/{name}", json.dumps(members).encode())


# Who may ask


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:1", "localhost", "[::1]:80"])
def test_names_of_this_machine(host: str) -> None:
    assert request(f"/{TOKEN}/", headers={"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "0.0.0.0", "127.0.0.1:x"],
)
def test_foreign_host(host: str) -> None:
    answer = request(f"/{TOKEN}/", headers={"host": host})
    assert (answer.status, answer.error) == (403, "the header Host does not name this machine")
    assert request(f"/{TOKEN}/", headers={}).status == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:9", "null", ""]
)
def test_foreign_origin(origin: str) -> None:
    answer = request(f"/{TOKEN}/api/session", headers=GOOD | {"origin": origin})
    assert (answer.status, answer.error) == (403, "the request comes from another page")


def test_own_origin() -> None:
    headers = GOOD | {"origin": "http://127.0.0.1:8000"}
    assert request(f"/{TOKEN}/api/session", headers=headers).status == 200


@pytest.mark.parametrize(
    ("name", "value"), [("origin", "http://127.0.0.1:8000"), ("host", "127.0.0.1:8000")]
)
def test_header_that_is_repeated(name: str, value: str) -> None:
    headers = GOOD | {name: "http://evil.example"}
    answer = request(f"/{TOKEN}/api/session", headers=headers, repeated=((name, value),))
    assert answer.status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/session",
        "/secret-toke/",
        "/secret-token",
        "/SECRET-TOKEN/",
        "//",
        "/é/",
        "/secret-tokenx/",
    ],
)
def test_address_without_token(path: str) -> None:
    answer = request(path)
    assert (answer.status, answer.error) == (403, "the address has no valid token")
    assert b"<script" not in answer.body


# What is served


@pytest.mark.parametrize(
    "path",
    [
        "../answers.py",
        "../../../../etc/passwd",
        "..%2fanswers.py",
        "assets/main.js",
        "/etc/passwd",
        "index.html/",
        "api/../main.js",
        "main.js\x00",
        "api/unknown",
        "api/session/",
        "api/compare/",
    ],
)
def test_other_paths_are_not_found(path: str) -> None:
    assert request(f"/{TOKEN}/{path}").status == 404


@pytest.mark.parametrize("name", ["", "main.js", "style.css", "icon.svg"])
def test_files_of_the_page(name: str) -> None:
    answer = request(f"/{TOKEN}/{name}")
    assert answer.status == 200
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["", "main.js", "api/session", "api/unknown"])
def test_policy_allows_no_inline_script(path: str) -> None:
    policy = request(f"/{TOKEN}/{path}").headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_page_contains_no_inline_script_or_style() -> None:
    page = request(f"/{TOKEN}/").body.decode()
    assert "<script>" not in page
    assert "<style" not in page
    assert "style=" not in page


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_other_methods(method: str) -> None:
    assert request(f"/{TOKEN}/api/compare", method=method).status == 405


# Sizes


@pytest.mark.parametrize("chunk", [None, 1 << 20])
def test_body_that_is_too_large(chunk: int | None) -> None:
    answer = request(f"/{TOKEN}/api/compare", b"x" * (MAX_REQUEST + 1), chunk=chunk)
    assert answer.status == 413


def test_declared_length_that_is_too_large() -> None:
    headers = GOOD | {"content-length": str(MAX_FILE + 1)}
    for name in ("compare", "tokenizers"):
        assert request(f"/{TOKEN}/api/{name}", b"{}", headers=headers).status == 413


def test_text_that_is_too_long() -> None:
    answer = ask("compare", text="a" * 2_000_001, tokenizers=["hug"])
    assert answer.status == 400
    assert answer.error == "text: expected at most 2,000,000 characters, found 2,000,001"


# Members


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'"a"', b"[" * 100_000])
def test_body_that_is_no_object(body: bytes) -> None:
    answer = request(f"/{TOKEN}/api/compare", body, method="POST")
    assert (answer.status, answer.error) == (400, "expected a JSON object")


@pytest.mark.parametrize(
    ("name", "members", "error"),
    [
        ("compare", {"text": "a", "tokenizers": ["hug"], "spam": 1}, "unknown member 'spam'"),
        ("compare", {"tokenizers": ["hug"]}, "text: expected a text, found None"),
        ("compare", {"text": 1, "tokenizers": ["hug"]}, "text: expected a text, found 1"),
        ("compare", {"text": "a", "tokenizers": []}, "tokenizers: expected 1 to 4 different texts"),
        ("compare", {"text": "a", "tokenizers": list("abcde")}, "tokenizers: expected 1 to 4"),
        ("compare", {"text": "a", "tokenizers": ["hug", "hug"]}, "tokenizers: expected 1 to 4"),
        ("compare", {"text": "a", "tokenizers": [1]}, "tokenizers: expected a list of texts"),
        ("compare", {"text": "a", "tokenizers": ["/etc/passwd"]}, "there is no tokenizer '/etc/p"),
        ("compare", {"text": "a", "tokenizers": ["hug"], "span": [1]}, "span: expected a start"),
        (
            "compare",
            {"text": "a", "tokenizers": ["hug"], "span": [-1, 1]},
            "span: expected a start",
        ),
        (
            "compare",
            {"text": "\ud800", "tokenizers": ["hug"]},
            "the text contains the lone surrogate",
        ),
        ("explain", {"text": "a", "tokenizer": "pug"}, "there is no tokenizer 'pug'"),
        ("explain", {"text": "a", "tokenizer": "hug", "nbest": 9}, "unknown member 'nbest'"),
        ("token", {"tokenizer": "hug", "id": 99}, "no token has the id 99"),
        ("token", {"tokenizer": "hug", "id": -1}, "id: expected an integer from 0"),
        ("token", {"tokenizer": "hug", "id": True}, "id: expected an integer, found True"),
        ("trace", {"example": "note-009"}, "example: expected one of note-000"),
        ("trace", {"text": "a", "model": "lstm", "vocab_size": 9}, "model: expected one of"),
        ("trace", {"text": "a", "model": "bpe", "vocab_size": 10**9}, "vocab_size: expected an"),
        ("evaluate", {"tokenizers": ["hug"]}, "languages: expected an object of texts"),
        ("evaluate", {"tokenizers": ["hug"], "languages": {}}, "languages: expected 1 to 50 texts"),
        ("tokenizers", {"files": {"../a.txt": ""}}, "files: expected names of files without"),
        ("tokenizers", {"files": {"a/b.txt": ""}}, "files: expected names of files without"),
        ("tokenizers", {"files": {"a.txt": "?"}}, "files: expected contents in Base64"),
        ("tokenizers", {"files": {"a.txt": "\ud800"}}, "files: expected contents in Base64"),
        ("tokenizers", {"files": {"中" * 100: ""}}, "中中"),
        ("tokenizers", {"files": {}}, "files: expected 1 to 4 texts"),
        ("tokenizers", {"files": {"a.json": "e30="}}, "a.json: "),
    ],
)
def test_members_that_are_refused(name: str, members: dict[str, Any], error: str) -> None:
    answer = ask(name, **members)
    assert answer.status == 400
    assert answer.error.startswith(error)
    assert "/tmp" not in answer.error
    assert "Traceback" not in answer.body.decode()


def test_answer_that_fails(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def failing(session: Session, fields: Fields, cancellation: Cancellation) -> dict[str, Any]:
        raise RuntimeError("/secret/path")

    monkeypatch.setattr("piecework.play.app.ANSWERS", {"compare": failing})
    answer = ask("compare")
    assert (answer.status, answer.error) == (500, "piecework failed (RuntimeError)")
    assert b"/secret" not in answer.body
    assert "RuntimeError: /secret/path" in capfd.readouterr().err
