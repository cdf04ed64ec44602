"""The core against `tokenizers` with BERT's vocabularies."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import parity_live
import piecework as pw

FIRST = 60_000  # bytes of each corpus in the normal suite
EVERY = 37  # of the scalar values in the normal suite
TEXTS_AT_A_TIME = 20_000


@pytest.fixture(params=parity_live.VOCABULARIES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("strip_accents", [None, True, False])
@pytest.mark.parametrize("lowercase", [True, False])
def test_case_texts_equal_tokenizers(
    data: Path, name: str, *, lowercase: bool, strip_accents: bool | None
) -> None:
    flags: dict[str, Any] = {"lowercase": lowercase, "strip_accents": strip_accents}
    theirs, tokenizer = (
        parity_live.live(parity_live.entries(data, name), **flags),
        parity_live.ours(data, name, **flags),
    )
    texts = parity_live.case_texts()
    for text, pair in zip(texts, texts[1:] + texts[:1], strict=True):
        parity_live.compare(theirs, tokenizer, text)
        parity_live.compare(theirs, tokenizer, text, pair)


@pytest.mark.parametrize("clean_text", [True, False])
@pytest.mark.parametrize("handle_chinese_chars", [True, False])
def test_flags_equal_tokenizers(
    data: Path, *, clean_text: bool, handle_chinese_chars: bool
) -> None:
    flags: dict[str, Any] = {"clean_text": clean_text, "handle_chinese_chars": handle_chinese_chars}
    theirs = parity_live.live(parity_live.entries(data, "bert-base-chinese"), **flags)
    tokenizer = parity_live.ours(data, "bert-base-chinese", **flags)
    for text in parity_live.case_texts():
        parity_live.compare(theirs, tokenizer, text)


def sweep(theirs: Any, tokenizer: pw.Tokenizer, step: int) -> None:
    for context in parity_live.CONTEXTS:
        texts = [context.replace("{c}", c) for c in parity_live.scalars(step)]
        for start in range(0, len(texts), TEXTS_AT_A_TIME):
            parity_live.compare_all(theirs, tokenizer, texts[start : start + TEXTS_AT_A_TIME])


@pytest.mark.parametrize("lowercase", [True, False])
def test_part_of_all_scalar_values_equals_tokenizers(data: Path, *, lowercase: bool) -> None:
    theirs = parity_live.live(parity_live.entries(data, "bert-base-uncased"), lowercase=lowercase)
    sweep(theirs, parity_live.ours(data, "bert-base-uncased", lowercase=lowercase), EVERY)


@pytest.mark.parity
@pytest.mark.parametrize("lowercase", [True, False])
def test_all_scalar_values_equal_tokenizers(data: Path, name: str, *, lowercase: bool) -> None:
    theirs = parity_live.live(parity_live.entries(data, name), lowercase=lowercase)
    sweep(theirs, parity_live.ours(data, name, lowercase=lowercase), 1)


def corpora(data: Path) -> list[str]:
    found = sorted((data / "corpora").glob("*/*"))
    assert len(found) > 50
    return [f"{path.parent.name}/{path.name.removesuffix('.zst')}" for path in found]


def documents(text: str) -> list[str]:
    """Returns single lines and groups of lines, for short and long documents."""
    lines = text.split("\n")
    return [*lines[: len(lines) // 2], "\n".join(lines[len(lines) // 2 :])]


def test_beginnings_of_corpora_equal_tokenizers(
    data: Path, corpus_bytes: Callable[[str], bytes], name: str
) -> None:
    lowercase = name != "bert-base-cased"
    theirs = parity_live.live(parity_live.entries(data, name), lowercase=lowercase)
    tokenizer = parity_live.ours(data, name, lowercase=lowercase)
    for corpus in corpora(data):
        text = corpus_bytes(corpus)[:FIRST].decode("utf-8", "replace")
        parity_live.compare_all(theirs, tokenizer, documents(text))


@pytest.mark.parity
@pytest.mark.parametrize("lowercase", [True, False])
def test_corpora_equal_tokenizers(
    data: Path, corpus_bytes: Callable[[str], bytes], name: str, *, lowercase: bool
) -> None:
    theirs = parity_live.live(parity_live.entries(data, name), lowercase=lowercase)
    tokenizer = parity_live.ours(data, name, lowercase=lowercase)
    for corpus in corpora(data):
        lines = corpus_bytes(corpus).decode("utf-8", "replace").split("\n")
        for start in range(0, len(lines), TEXTS_AT_A_TIME):
            parity_live.compare_all(theirs, tokenizer, lines[start : start + TEXTS_AT_A_TIME])
