"""Answers of the page end when nobody waits for them or when their time is over, and slow bodies are refused."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any
from unittest.mock import Mock

import pytest

import piecework as pw

pytest.importorskip("uvicorn", reason="the extra `play` is not installed")
pytest.importorskip("starlette", reason="the extra `play` is not installed")
import uvicorn
from starlette.testclient import TestClient

from piecework.play import Session, create_app
from piecework.play.access import Access
from piecework.play.app import MAX_SECONDS
from piecework.play.cancellation import Cancellation, CancelledAnswerError
from piecework.play.fields import Fields
from piecework.play.training import train
from piecework.play.vocabulary import VocabularyQuery, VocabularyTable

PATIENCE = 10
"""The seconds after which a test fails; a busy machine takes far less."""
HEAD = "POST /token/api/{name} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n"


@pytest.fixture(scope="module")
def long_training() -> dict[str, Any]:
    """Returns the members of a request whose training takes seconds."""
    letters = random.Random(1)
    words = ["".join(letters.choices("abcd", k=200_000)) for _ in range(9)]
    return {"text": " ".join(words), "model": "bpe", "vocab_size": 10_000}


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> SimpleQueue[str]:
    """Returns a queue that gets "begun" when a training begins, and the name of the exception that ends it."""
    found = SimpleQueue[str]()

    def observed(fields: Fields, cancellation: Cancellation) -> Any:
        found.put("begun")
        try:
            return train(fields, cancellation)
        except BaseException as error:
            found.put(type(error).__name__)
            raise

    monkeypatch.setattr("piecework.play.answers.train", observed)
    return found


@contextmanager
def served(session: Session, **settings: Any) -> Iterator[Callable[..., socket.socket]]:
    """Serves the page; returns a function that sends the head of a request, and the part of the body that is given."""
    app = Access(create_app(session), "token", **settings)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none"))

    def send(
        name: str, body: bytes, length: int | None = None, host: str = "127.0.0.1"
    ) -> socket.socket:
        address = listener.getsockname()
        client = clients.enter_context(socket.create_connection(address, timeout=PATIENCE))
        head = HEAD.format(name=name, host=host, length=len(body) if length is None else length)
        client.sendall(head.encode() + body)
        return client

    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as clients:
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield send
        finally:
            clients.close()
            server.should_exit = True
            thread.join(PATIENCE)


def received(client: socket.socket) -> bytes:
    """Returns what the server sends until it closes the connection."""
    return b"".join(iter(lambda: client.recv(1 << 16), b""))


def send_by_bytes(client: socket.socket) -> None:
    """Sends a byte now and then, for longer than a server may wait."""
    for _ in range(50 * PATIENCE):
        client.sendall(b" ")
        time.sleep(0.02)


# Trainings


def test_training_ends_with_its_connection(
    ends: SimpleQueue[str], long_training: dict[str, Any]
) -> None:
    session = Session({})
    with served(session) as send:
        client = send("trace", json.dumps(long_training).encode())
        assert ends.get(timeout=PATIENCE) == "begun"
        client.close()
        begin = time.monotonic()
        assert ends.get(timeout=PATIENCE) == "CancelledAnswerError"
        assert time.monotonic() - begin < 1.5  # 0.05 s on an idle machine; the training takes 5 s
    assert session.to_dicts() == []


def test_training_that_takes_too_long(
    ends: SimpleQueue[str], long_training: dict[str, Any]
) -> None:
    session = Session({})
    client = TestClient(create_app(session, {**MAX_SECONDS, "trace": 0.25}))
    response = client.post("/api/trace", content=json.dumps(long_training))
    assert response.status_code == 503
    assert response.json() == {
        "error": "stopped after 0.25 seconds, the most that an answer may take",
        "hint": "use less text or fewer entries",
    }
    assert ends.get(timeout=PATIENCE) == "begun"
    assert ends.get(timeout=PATIENCE) == "CancelledAnswerError"
    assert session.to_dicts() == []


def test_trainings_by_several_criteria_are_cancelled() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(CancelledAnswerError):
        train(Fields(b'{"example": "note-000", "side_by_side": true}'), cancellation)


# Searches


@pytest.fixture
def table() -> VocabularyTable:
    return VocabularyTable(pw.Tokenizer.from_str("[UNK]\nhug\n##s\nHug\n"))


@pytest.mark.parametrize(
    "query",
    [
        VocabularyQuery("hug"),
        VocabularyQuery(kind="unreachable"),
        VocabularyQuery(sort="count", text="hugs"),
    ],
    ids=["search", "unreachable", "text"],
)
def test_search_is_cancelled_and_others_go_on(
    table: VocabularyTable, query: VocabularyQuery
) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(CancelledAnswerError):
        table.find(query, 0, 10, cancellation)
    assert table.find(query, 0, 10)["entries"] == 4


def test_search_that_waits_for_another_is_cancelled(table: VocabularyTable) -> None:
    cancellation, ended = Cancellation(), SimpleQueue[str]()

    def search() -> None:
        try:
            table.find(VocabularyQuery("hug"), 0, 10, cancellation)
        except CancelledAnswerError:
            ended.put("cancelled")

    with table._lock:
        thread = Thread(target=search, daemon=True)
        thread.start()
        cancellation.cancel()
        assert ended.get(timeout=PATIENCE) == "cancelled"


def test_search_is_checked_between_blocks(
    monkeypatch: pytest.MonkeyPatch, table: VocabularyTable
) -> None:
    check = Mock()
    monkeypatch.setattr("piecework.play.vocabulary._BLOCK", 3)
    monkeypatch.setattr(Cancellation, "check", check)
    assert [row["token"] for row in table.find(VocabularyQuery("hug"), 0, 10)["rows"]] == [
        "hug",
        "Hug",
    ]
    assert check.call_count == 3  # once with the lock, and twice for four entries


@pytest.mark.parametrize("name", MAX_SECONDS)
def test_every_answer_is_bounded(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    events = SimpleQueue[str]()

    def endless(session: Session, fields: Fields, cancellation: Cancellation) -> dict[str, Any]:
        events.put("started")
        try:
            while True:
                cancellation.check()
                time.sleep(0.001)
        finally:
            events.put("ended")

    monkeypatch.setattr("piecework.play.app.ANSWERS", {name: endless})
    client = TestClient(create_app(Session({}), {name: 0.2}))
    response = client.post(f"/api/{name}", content="{}")
    assert response.status_code == 503
    assert response.json()["error"].startswith("stopped after 0.2 seconds")
    # On a busy machine the time may be over before the thread begins, and then it never does.
    if not events.empty():
        assert [events.get(timeout=PATIENCE) for _ in range(2)] == ["started", "ended"]


# Bodies


def test_body_that_never_arrives() -> None:
    with served(Session({}), max_body_seconds=0.2) as send:
        answer = received(send("compare", b"", length=100))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not arrive within 0.2 seconds" in answer
    assert b"connection: close" in answer


def test_body_that_arrives_by_bytes() -> None:
    with served(Session({}), max_body_seconds=0.3) as send:
        client = send("tokenizers", b"{", length=10_000)
        with pytest.raises(ConnectionError):
            send_by_bytes(client)


def test_other_requests_are_answered_while_a_body_is_awaited() -> None:
    with served(Session({}), max_body_seconds=PATIENCE) as send:
        send("compare", b"", length=100)
        client = send("compare", b"[]")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 400 ")


def test_body_of_a_foreign_request_is_not_awaited() -> None:
    with served(Session({})) as send:
        answer = received(send("compare", b"", length=100, host="spam.example"))
    assert answer.startswith(b"HTTP/1.1 403 ")
