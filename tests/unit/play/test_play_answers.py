"""The answers of the page's server are the data of the library."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

import pytest

import piecework as pw
from piecework.errors import ConfigError, FormatError

pytest.importorskip("starlette", reason="the extra `play` is not installed")

from piecework.play import Session
from piecework.play.answers import ANSWERS, describe_session
from piecework.play.app import _json
from piecework.play.cancellation import Cancellation
from piecework.play.fields import Fields
from piecework.play.samples import PARALLEL_TEXTS, train_samples
from piecework.play.session import MAX_ADDED

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
WORDPIECE = pw.train(WORDS, pw.WordPieceTrainer(20))
BPE = pw.train(WORDS, pw.BpeTrainer(12, unk_token="[UNK]"))
TOKENIZERS = {"wordpiece": WORDPIECE, "bpe": BPE}
TEXT = "hugs pugs  puns\u0301 <script>"


def ask(session: Session, name: str, **members: Any) -> dict[str, Any]:
    """Returns an answer after its way through JSON."""
    fields = Fields(json.dumps(members).encode())
    return json.loads(bytes(_json(ANSWERS[name](session, fields, Cancellation())).body))  # type: ignore[no-any-return]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.fixture
def session() -> Session:
    return Session(TOKENIZERS)


def with_tokens(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the blocks of a comparison with the readable forms of their ids."""
    readable = [split["readable"] for split in answer["splits"]]
    return [
        {name: value for name, value in block.items() if name != "counts"}
        | {
            "tokens": [
                [names[str(number)] for number in ids]
                for names, ids in zip(readable, block["ids"], strict=True)
            ]
        }
        for block in answer["blocks"]
    ]


def test_comparison(session: Session) -> None:
    answer = ask(session, "compare", text=TEXT, tokenizers=["wordpiece", "bpe"])
    assert answer["characters"] == len(TEXT)
    compared = pw.compare(TOKENIZERS, TEXT)
    assert with_tokens(answer) == as_json(compared.to_dict()["blocks"])
    for split, listed in zip(compared.splits, answer["splits"], strict=True):
        assert (listed["name"], listed["model"]) == (split.name, split.model)
        assert listed["count"] == len(listed["ids"]) == len(split)
        assert listed["offsets"] == as_json(split.offsets)
        assert [listed["readable"][str(each)] for each in listed["ids"]] == list(
            split.display_tokens
        )


def test_block_with_many_tokens(session: Session) -> None:
    text = f"hugs {'é' * 120_000} hugs"
    answer = ask(session, "compare", text=text, tokenizers=["wordpiece", "bpe"])
    (block,) = (block for block in answer["blocks"] if max(block["counts"]) > 10)
    assert block["counts"] == [1, 120_000]
    assert [len(ids) for ids in block["ids"]] == [1, 2000]
    split = answer["splits"][1]
    assert len(split["ids"]) == len(split["offsets"]) == 100_000
    assert split["count"] > 120_000


def test_part_of_a_long_text(session: Session) -> None:
    text = "hugs pugs " * 10_000
    answer = ask(session, "compare", text=text, tokenizers=["bpe"], span=[50_000, 90_000])
    listed = pw.compare({"bpe": BPE}, text, span=(50_000, 70_000))
    assert with_tokens(answer) == as_json(listed.to_dict()["blocks"])
    assert answer["splits"][0]["count"] == BPE.count(text, add_special_tokens=False)


@pytest.mark.parametrize("span", [[0, 10], [5, 90], [70, 90]])
def test_part_beyond_the_end_of_the_text(session: Session, span: list[int]) -> None:
    answer = ask(session, "compare", text="hugs", tokenizers=["bpe"], span=span)
    assert answer["blocks"][-1]["end"] == 4
    assert ask(session, "compare", text="", tokenizers=["bpe"], span=span)["blocks"] == []


def test_figures(session: Session) -> None:
    expected = pw.evaluate(TOKENIZERS, [TEXT]).to_dict()
    assert ask(session, "evaluate", text=TEXT, tokenizers=["wordpiece", "bpe"]) == as_json(expected)


def test_languages(session: Session) -> None:
    texts = {"one": "hugs", "other": "puns hugs"}
    groups = {name: [text] for name, text in texts.items()}
    expected = pw.evaluate(TOKENIZERS, groups, parallel=True).to_dict()
    answer = ask(session, "evaluate", languages=texts, tokenizers=["wordpiece", "bpe"])
    assert answer == as_json(expected)


def test_explanation(session: Session) -> None:
    answer = ask(session, "explain", text=TEXT, tokenizer="bpe", span=[5, 9])
    answer.pop("readable")
    assert answer == as_json(BPE.explain(TEXT, span=(5, 9)).to_dict())


def test_merges_of_an_explanation_are_readable() -> None:
    trainer = pw.BpeTrainer(300, alphabet="byte")
    session = Session({"bpe": pw.train(["a naïve naïve naïve word"], trainer)})
    readable = ask(session, "explain", text="a naïve", tokenizer="bpe")["readable"]
    assert readable["ĠnaÃ¯ve"] == " naïve"
    assert readable["aÃ"] == "a<0xC3>"


def test_token(session: Session) -> None:
    number = WORDPIECE.token_to_id("hug")
    answer = ask(session, "token", tokenizer="wordpiece", id=number)
    assert answer.items() >= as_json(WORDPIECE.lineage("hug").to_dict()).items()
    assert answer["bytes"] == "68 75 67"
    assert answer["code_points"] == ["U+0068", "U+0075", "U+0067"]


def test_half_a_character() -> None:
    tok = pw.train(["中文"], pw.BpeTrainer(260, alphabet="byte"))
    session = Session({"bytes": tok})
    (half,) = [
        number for token, number in tok.vocab.items() if tok.display_token(token) == "<0xE4>"
    ]
    answer = ask(session, "token", tokenizer="bytes", id=half)
    assert (answer["bytes"], answer["code_points"]) == ("e4", [])


@pytest.mark.parametrize("name", pw.training.EXAMPLES)
def test_examples_of_the_notes(session: Session, name: str) -> None:
    answer = ask(session, "trace", example=name)
    (trace,) = answer["traces"].values()
    expected = pw.trace(*pw.training.example(name), top=8, words=100)
    assert trace == as_json(expected.to_dict())
    assert session[answer["tokenizer"]] == expected.tokenizer


def test_numbers_that_json_has_not() -> None:
    body = bytes(_json({"a": [1.5, math.inf, (math.nan,)], "b": {"c": -math.inf}}).body)
    assert json.loads(body) == {"a": [1.5, None, [None]], "b": {"c": None}}


def test_session(session: Session) -> None:
    described = describe_session(session)
    assert [each["name"] for each in described["tokenizers"]] == ["wordpiece", "bpe"]
    assert described["examples"] == dict(pw.training.EXAMPLES)
    assert described["version"] == pw.__version__
    json.dumps(described, allow_nan=False)


# Tokenizers that the page adds


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_file_of_a_tokenizer(session: Session) -> None:
    answer = ask(session, "tokenizers", files={"my.json": encoded(BPE.to_str().encode())})
    assert answer["name"] == "my.json"
    assert [each["name"] for each in answer["tokenizers"]] == ["wordpiece", "bpe", "my.json"]
    assert session["my.json"] == BPE


def test_name_that_is_taken(session: Session) -> None:
    assert session.add("bpe", WORDPIECE) == "bpe (2)"
    assert session["bpe"] == BPE
    assert session.add("bpe", BPE) == "bpe (2)"
    assert session["bpe (2)"] == BPE


def test_oldest_added_tokenizer_is_replaced(session: Session) -> None:
    names = [session.add(f"added {number}", BPE) for number in range(MAX_ADDED + 2)]
    assert [each["name"] for each in session.to_dicts()] == ["wordpiece", "bpe", *names[2:]]
    with pytest.raises(ConfigError, match="there is no tokenizer 'added 0'"):
        session["added 0"]


def test_files_that_belong_together(session: Session) -> None:
    merges = pw.train(["low lower lowest"], pw.BpeTrainer(300, alphabet="byte"))
    vocab = json.dumps(merges.vocab).encode()
    pairs = "\n".join(f"{merge.left} {merge.right}" for merge in merges.history).encode()
    files = {"vocab.json": encoded(vocab), "merges.txt": encoded(pairs)}
    answer = ask(session, "tokenizers", files=files)
    assert session[answer["name"]].encode_ids("lower") == merges.encode_ids("lower")


@pytest.mark.parametrize("data", [b"", b"\x00", b"{}", b"\xff\xfe", b"PK\x03\x04"])
def test_file_that_is_none(session: Session, data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^a\.json: "):
        ask(session, "tokenizers", files={"a.json": encoded(data)})


@pytest.mark.parametrize(
    "name", ["it's @ [1], v=2.json", "cafe\u0301.json", "中文.json", "a..b.json"]
)
def test_name_of_a_file(session: Session, name: str) -> None:
    answer = ask(session, "tokenizers", files={name: encoded(BPE.to_str().encode())})
    assert session[answer["name"]] == BPE


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "/a", "a/b", "a\\b", "C:a", "a\nb", "a\0", "\u202ea", "a" * 121]
)
def test_name_that_is_refused(session: Session, name: str) -> None:
    with pytest.raises(ConfigError, match="expected names of files without folders"):
        ask(session, "tokenizers", files={name: ""})


def test_compressed_file(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(BPE.to_str().encode())
    ask(session, "tokenizers", files={"my.json.gz": encoded(data)})
    assert session["my.json.gz"] == BPE
    monkeypatch.setattr("piecework.play.uploads._MAX_DECOMPRESSED", 100)
    with pytest.raises(FormatError, match=r"^my\.json\.gz: larger than 100 bytes, decompressed"):
        ask(session, "tokenizers", files={"my.json.gz": encoded(data)})


def test_tokenizer_without_entries() -> None:
    empty = {"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}
    session = Session({"empty": pw.Tokenizer.from_str(json.dumps(empty))})
    assert ask(session, "vocabulary", tokenizer="empty")["entries"] == 0


# The samples


def test_samples_encode_every_language() -> None:
    for tokenizer in train_samples().values():
        for text in PARALLEL_TEXTS.values():
            ids = tokenizer.encode_ids(text, add_special_tokens=False)
            unknown = tokenizer.token_to_id(tokenizer.unk_token or "")
            assert ids.count(unknown if unknown is not None else -1) == 0
