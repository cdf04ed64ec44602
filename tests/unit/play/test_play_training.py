"""The answers of the page about trainings: those of `trace`, with limits and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import piecework as pw

pytest.importorskip("starlette", reason="the extra `play` is not installed")
from starlette.testclient import TestClient

from piecework.play import Session, create_app

Ask = Callable[..., Any]
TEXT = "the hugs of the pugs and the puns of the buns, the hugging pugs 中文 " * 9
MODELS: dict[str, pw.Trainer] = {
    "wordpiece": pw.WordPieceTrainer(60, criterion="sum", ties="first"),
    "bpe": pw.BpeTrainer(60, ties="first"),
    "byte-bpe": pw.BpeTrainer(270, ties="first", alphabet="byte"),
    "unigram": pw.UnigramTrainer(30),
}


@pytest.fixture
def session() -> Session:
    return Session({})


@pytest.fixture
def ask(session: Session) -> Ask:
    """Returns a function that asks for a training, and returns the status and the answer."""
    client = TestClient(create_app(session))

    def run(**members: Any) -> tuple[int, Any]:
        response = client.post("/api/trace", content=json.dumps(members))
        return response.status_code, response.json()

    return run


def request_for(model: str) -> dict[str, Any]:
    names = [
        "vocab_size",
        *{"wordpiece": ["criterion", "ties"], "unigram": []}.get(model, ["ties"]),
    ]
    return {"text": TEXT, "model": model, **{name: getattr(MODELS[model], name) for name in names}}


@pytest.mark.parametrize("name", pw.training.EXAMPLES)
def test_examples_are_traced(ask: Ask, session: Session, name: str) -> None:
    counts, trainer = pw.training.example(name)
    wanted = pw.trace(counts, trainer, top=8, words=100)
    status, answer = ask(example=name)
    assert (status, answer["kind"]) == (200, "merges")
    assert list(answer["traces"].values()) == [wanted.to_dict()]
    assert session[answer["tokenizer"]].fingerprint == wanted.tokenizer.fingerprint


@pytest.mark.parametrize("model", MODELS)
def test_texts_are_traced(ask: Ask, session: Session, model: str) -> None:
    wanted = pw.trace([TEXT], MODELS[model], top=8, words=100)
    status, answer = ask(**request_for(model))
    assert status == 200
    assert answer["kind"] == ("unigram" if model == "unigram" else "merges")
    assert list(answer["traces"]) == [
        "sum" if model == "wordpiece" else wanted.tokenizer.model_type
    ]
    assert list(answer["traces"].values()) == [wanted.to_dict()]
    assert session[answer["tokenizer"]].fingerprint == wanted.tokenizer.fingerprint


def test_word_whose_training_would_take_minutes(ask: Ask) -> None:
    status, answer = ask(text=f"a {'b' * 200_001}", model="bpe", vocab_size=10, ties="lex")
    assert status == 400
    assert answer["error"] == (
        "text: expected words of at most 200,000 characters, found one of 200,001"
    )


def test_criteria_side_by_side_begin_with_that_of_the_settings(ask: Ask, session: Session) -> None:
    _, answer = ask(**request_for("wordpiece"), side_by_side=True)
    assert list(answer["traces"]) == ["sum", "likelihood", "pmi", "frequency"]
    wanted = pw.trace_criteria([TEXT], MODELS["wordpiece"], top=8, words=100)
    assert answer["traces"] == wanted.to_dict()
    assert session[answer["tokenizer"]].fingerprint == wanted["sum"].tokenizer.fingerprint


def test_the_session_says_which_examples_have_criteria(session: Session, ask: Ask) -> None:
    described = TestClient(create_app(session)).get("/api/session").json()
    for name in described["examples"]:
        status, answer = ask(example=name, side_by_side=True)
        has_criteria = name in described["examples_with_criteria"]
        assert status == (200 if has_criteria else 400), name
        assert has_criteria or "requires WordPiece" in answer["error"]


@pytest.mark.parametrize("model", MODELS)
def test_readable_forms_are_those_of_the_tokenizer(ask: Ask, session: Session, model: str) -> None:
    _, answer = ask(**request_for(model))
    readable, tok = answer["readable"], session[answer["tokenizer"]]
    assert {token: readable.get(token, token) for token in tok.vocab} == {
        token: tok.display_token(token) for token in tok.vocab
    }
    assert all(token != shown for token, shown in readable.items())
    (trace,) = answer["traces"].values()
    if model == "unigram":
        removed = [piece for step in trace["steps"] for piece, _ in step["removed"]]
        assert [readable.get(piece, piece) for piece in removed] == list(
            map(tok.display_token, removed)
        )
    if model == "byte-bpe":
        words = [readable.get(word["word"], word["word"]) for word in trace["words"]]
        assert words[:3] == ["the", " hugs", " of"]
        assert " 中文" in words


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ({}, "text"),
        ({"text": TEXT}, "model"),
        ({"text": TEXT, "model": "bpe"}, "vocab_size"),
        ({"text": TEXT, "model": "bpe", "vocab_size": 0}, "from 1 to 10000"),
        ({"text": TEXT, "model": "bpe", "vocab_size": 10_001}, "from 1 to 10000"),
        (
            {"text": TEXT, "model": "wordpiece", "vocab_size": 4001, "side_by_side": True},
            "from 1 to 4000",
        ),
        ({"text": TEXT, "model": "bpe", "vocab_size": True}, "an integer"),
        ({"text": TEXT, "model": "bp", "vocab_size": 60}, "byte-bpe"),
        ({"text": TEXT, "model": "bpe", "vocab_size": 60, "criterion": "pmi"}, "criterion"),
        ({"text": TEXT, "model": "bpe", "vocab_size": 60, "side_by_side": True}, "WordPiece"),
        ({"text": TEXT, "model": "unigram", "vocab_size": 30, "ties": "lex"}, "ties"),
        ({"text": TEXT, "model": "wordpiece", "vocab_size": 2}, "too small"),
        ({"text": "abc", "model": "unigram", "vocab_size": 500}, "too large"),
        ({"text": "", "model": "unigram", "vocab_size": 500}, "no word is left"),
        ({"text": "a\ud800", "model": "bpe", "vocab_size": 60}, "lone surrogate"),
        ({"text": "a" * 2_000_001, "model": "bpe", "vocab_size": 60}, "2,000,000"),
        ({"example": "note-00"}, "note-000"),
        ({"example": "note-000", "text": TEXT}, "text"),
        ({"example": "note-000", "vocab_size": 60}, "vocab_size"),
    ],
)
def test_invalid_requests_are_refused(
    ask: Ask, session: Session, members: dict[str, Any], error: str
) -> None:
    status, answer = ask(**members)
    assert status == 400
    assert error in answer["error"]
    assert session.to_dicts() == []
