"""Warnings name the line of the caller, at any depth of the library."""

import base64
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import normalizers, pre_tokenizers

WORDS = {"low": 5, "lower": 2}
TOKENIZER = pw.train(WORDS, pw.WordPieceTrainer(30))
UNIGRAM = pw.train({"▁low": 5, "▁lower": 2}, pw.UnigramTrainer(10))
DICTIONARY = pre_tokenizers.Dictionary(["New York"])
LOWER = normalizers.Lowercase()


def folder_with(path: Path, files: dict[str, Any]) -> Path:
    """Writes a model folder."""
    TOKENIZER.save(path / "tokenizer.json")
    for name, data in files.items():
        (path / name).write_text(json.dumps(data), encoding="utf-8")
    return path


def ranks(path: Path) -> Path:
    """Writes a tiktoken file with a gap in its ranks."""
    lines = [f"{base64.b64encode(bytes([b])).decode()} {b}" for b in range(256)]
    (path / "mine.tiktoken").write_text("\n".join([*lines, "aHU= 300"]), encoding="utf-8")
    return path / "mine.tiktoken"


CASED = "\n".join(["[UNK]", *(f"{a}{b}" for a in "ABCDEFGHIJK" for b in "abcdefghij")]) + "\n"


def capitals(path: Path) -> Path:
    """Writes a vocab.txt of a cased model."""
    (path / "cased.txt").write_text(CASED, encoding="utf-8")
    return path / "cased.txt"


WARNED: dict[str, Callable[[Path], object]] = {
    "Tokenizer": lambda _: pw.Tokenizer(
        TOKENIZER.model, normalizer=LOWER, pre_tokenizer=DICTIONARY
    ),
    "replace, parts": lambda _: TOKENIZER.replace(normalizer=LOWER, pre_tokenizer=DICTIONARY),
    "from_texts": lambda _: pw.WordCounts.from_texts(
        ["a"], normalizer=LOWER, pre_tokenizer=DICTIONARY
    ),
    "from_texts, files": lambda path: pw.WordCounts.from_texts(
        pw.Corpus(path / "text"), normalizer=LOWER, pre_tokenizer=DICTIONARY
    ),
    "train": lambda _: pw.train(
        ["new york"], pw.WordPieceTrainer(30), normalizer=LOWER, pre_tokenizer=DICTIONARY
    ),
    "from_file, capitals": lambda path: pw.Tokenizer.from_file(capitals(path)),
    "from_folder, capitals": lambda path: pw.Tokenizer.from_folder(
        capitals(path).rename(path / "vocab.txt").parent
    ),
    "from_str, capitals": lambda _: pw.Tokenizer.from_str(CASED),
    "train, counts": lambda _: pw.train({"Low": 1}, pw.WordPieceTrainer(30)),
    "train, symbols": lambda _: pw.train(
        ["low"], pw.WordPieceTrainer(30, user_defined_symbols=["Low"])
    ),
    "train, rarities": lambda _: pw.train(
        {f"{a}{b}": 1 for a in map(chr, range(97, 123)) for b in range(400)},
        pw.WordPieceTrainer(100, criterion="pmi"),
    ),
    "train, suffixes": lambda _: pw.train(
        ["low lower"],
        pw.UnigramTrainer(10, treat_whitespace_as_suffix=True),
        normalizer=LOWER,
    ),
    "train, files": lambda path: pw.train(
        pw.Corpus(path / "text"),
        pw.WordPieceTrainer(30),
        normalizer=LOWER,
        pre_tokenizer=DICTIONARY,
    ),
    "train, symbols, files": lambda path: pw.train(
        pw.Corpus([path / "text"]), pw.WordPieceTrainer(30, user_defined_symbols=["Low"])
    ),
    "from_folder, ids": lambda path: pw.Tokenizer.from_folder(
        folder_with(path, {"added_tokens.json": {"[CLS]": 7}})
    ),
    "from_folder, settings": lambda path: pw.Tokenizer.from_folder(
        folder_with(path, {"tokenizer_config.json": {"split_special_tokens": True}})
    ),
    "from_tiktoken, gaps": lambda path: pw.Tokenizer.from_tiktoken(ranks(path), "gpt2"),
    "from_file, gaps": lambda path: pw.Tokenizer.from_file(
        ranks(path).rename(path / "gpt2.tiktoken")
    ),
    "from_tiktoken, pattern": lambda path: pw.Tokenizer.from_tiktoken(ranks(path), pattern="^a"),
    "save, vocab.txt": lambda path: TOKENIZER.replace(unknown="char").save(path / "v.txt"),
    "save, as vocab.txt": lambda path: TOKENIZER.replace(unknown="char").save(
        path / "v", "vocab.txt"
    ),
    "save, approximate": lambda path: UNIGRAM.save(path / "u.model", approximate=True),
    "save, tiktoken": lambda path: (
        pw.train(
            ["low lower"],
            pw.BpeTrainer(260, alphabet="byte"),
        )
        .replace(normalizer=LOWER)
        .save(path / "b.tiktoken")
    ),
    "a comma in a special token": lambda path: pw.train(
        ["low lower"], pw.WordPieceTrainer(60, special_tokens=["[UNK]", "<s>,</s>"])
    ),
    "save, merges.txt": lambda path: (
        pw.train(["low lower"], pw.BpeTrainer(20))
        .replace(normalizer=LOWER)
        .save(path / "merges", "merges.txt")
    ),
}
"""A call for each warning, and for each way to it."""


def warnings_of(call: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


@pytest.mark.parametrize("name", WARNED)
def test_warning_names_the_line_of_the_caller(name: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("low lower new york\n", encoding="utf-8")
    found = warnings_of(lambda: WARNED[name](tmp_path))
    assert found
    for warning in found:
        assert warning.category is pw.errors.PieceworkWarning
        assert warning.filename == __file__, str(warning.message)


@pytest.mark.parametrize("kind", [pw.BpeTrainer, pw.UnigramTrainer, pw.WordPieceTrainer])
def test_comma_in_a_special_token_raises_a_warning(kind: Any) -> None:
    texts, unknown = (
        ["low lower newest widest the cat sat on a mat by the river bank"],
        "[UNK]" if kind is pw.WordPieceTrainer else "<unk>",
    )
    size = 80 if kind is pw.WordPieceTrainer else 28
    for token in ("<s>,</s>", "[CLS], [SEP]"):
        found = warnings_of(
            lambda token=token: pw.train(texts, kind(size, special_tokens=[unknown, token]))  # type: ignore[misc]
        )
        parts = [part.strip() for part in token.split(",")]
        message = (
            f"special_tokens: {token!r} is one special token that contains a comma; for several tokens pass "
            f"`special_tokens={parts}`"
        )
        assert [str(each.message) for each in found] == [message]
    for fine in (",", ",,", "<s>"):
        assert not warnings_of(
            lambda fine=fine: pw.train(texts, kind(size, special_tokens=[unknown, fine]))  # type: ignore[misc]
        )
