"""Tokenizers of well-known families through `piecework.hf` and `tokenizers`: equal encodings, texts and files."""

import itertools
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import model_families
from hf_peers import OURS, TEXTS, THEIRS, check_encodings, check_maps

FAMILIES = [
    name
    for name, entry in model_families.entries().items()
    if entry.get("format", "tokenizer.json") == "tokenizer.json"
]


@cache
def both(name: str) -> tuple[Any, Any]:
    """Returns the tokenizer of a family in both modules."""
    text = model_families.family(name).content.decode()
    try:
        theirs = THEIRS.Tokenizer.from_str(text)
    except Exception as error:  # noqa: BLE001  # they raise no more specific class
        pytest.skip(f"tokenizers refuses the file: {error}")
    return theirs, OURS.Tokenizer.from_str(text)


def fresh(name: str) -> tuple[Any, Any]:
    """Returns copies that a test may change."""
    theirs, ours = both(name)
    return THEIRS.Tokenizer.from_str(theirs.to_str()), OURS.Tokenizer.from_str(ours.to_str())


def check_texts(theirs: Any, ours: Any) -> None:
    for text in TEXTS:
        for special in (True, False):
            wanted, found = (k.encode(text, add_special_tokens=special) for k in (theirs, ours))
            check_encodings(wanted, found)
            for skip in (True, False):
                assert ours.decode(found.ids, skip) == theirs.decode(wanted.ids, skip)
    for texts in (list(TEXTS), list(itertools.pairwise(TEXTS))):
        for wanted, found in zip(theirs.encode_batch(texts), ours.encode_batch(texts), strict=True):
            check_encodings(wanted, found)
    for wanted, found in zip(
        theirs.encode_batch_fast(list(TEXTS)), ours.encode_batch_fast(list(TEXTS)), strict=True
    ):
        check_encodings(wanted, found)
    words = [text.split() for text in TEXTS]
    for wanted, found in zip(
        theirs.encode_batch(words, is_pretokenized=True),
        ours.encode_batch(words, is_pretokenized=True),
        strict=True,
    ):
        check_encodings(wanted, found)


@pytest.mark.parametrize("name", FAMILIES)
def test_texts_are_encoded_alike(name: str) -> None:
    check_texts(*both(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_maps_are_equal(name: str) -> None:
    theirs, ours = both(name)
    for text, pair in ((TEXTS[1], None), (TEXTS[2], TEXTS[1])):
        check_maps(theirs.encode(text, pair), ours.encode(text, pair), len(text))


@pytest.mark.parametrize("name", FAMILIES)
def test_states_are_equal(name: str) -> None:
    theirs, ours = both(name)
    assert json.loads(ours.to_str()) == json.loads(theirs.to_str())
    assert json.loads(ours.to_str(pretty=True)) == json.loads(theirs.to_str(pretty=True))
    assert ours.get_vocab() == theirs.get_vocab()
    assert ours.get_vocab(False) == theirs.get_vocab(False)
    assert ours.get_vocab_size() == theirs.get_vocab_size()
    added = ours.get_added_tokens_decoder(), theirs.get_added_tokens_decoder()
    assert repr(added[0]) == repr(added[1])
    assert (ours.padding, ours.truncation) == (theirs.padding, theirs.truncation)
    for stage in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        assert repr(getattr(ours, stage)) == repr(getattr(theirs, stage))
    for pair in (True, False):
        assert ours.num_special_tokens_to_add(pair) == theirs.num_special_tokens_to_add(pair)


CHANGES: dict[str, Callable[[Any, Any], object]] = {
    "tokens": lambda k, _: k.add_tokens(["Hello", "foo bar", "été"]),
    "tokens with flags": lambda k, m: k.add_tokens(
        [m.AddedToken("don", single_word=True), m.AddedToken("3", lstrip=True, rstrip=True)]
    ),
    "special tokens": lambda k, m: k.add_special_tokens(
        ["hi", m.AddedToken("12", normalized=True)]
    ),
    "special tokens as text": lambda k, _: setattr(k, "encode_special_tokens", True),
    "stride": lambda k, _: (
        k.enable_truncation(12, stride=2),
        k.enable_padding(length=16, pad_id=1),
    ),
    "left": lambda k, _: (
        k.enable_truncation(9, direction="left"),
        k.enable_padding(direction="left"),
    ),
    "multiple": lambda k, _: (k.no_truncation(), k.enable_padding(pad_to_multiple_of=8)),
}


def in_part(row: int, column: int, parts: int) -> list[pytest.MarkDecorator]:
    """Returns the marks of a pair: one of `parts` pairs is compared in every run, the others by `make parity`."""
    return [] if (row + column) % parts == 0 else [pytest.mark.parity]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param(name, change, marks=in_part(row, column, 3))
        for row, name in enumerate(FAMILIES)
        for column, change in enumerate(CHANGES)
    ],
)
def test_changed_tokenizers_encode_alike(name: str, change: str) -> None:
    theirs, ours = fresh(name)
    assert CHANGES[change](theirs, THEIRS) == CHANGES[change](ours, OURS)
    try:
        check_texts(theirs, ours)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
