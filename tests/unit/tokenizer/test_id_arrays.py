"""`encode_ids` returns an array with the ids of the list, for every option and kind of text."""

import pickle
from typing import Any

import numpy as np
import pytest

import piecework as pw

VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hug", "##s", "pun", "é", "中", "x", "##x"]
TEXTS = ["hugs pun", "", "é中 hug!", "[SEP] pun", "x" * 90, "hug pun " * 10_000]
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "without special tokens": {"add_special_tokens": False},
    "specials as text": {"specials": "text"},
    "some specials": {"specials": {"[SEP]"}},
    "truncated": {"truncation": 4},
    "truncated settings": {"truncation": pw.Truncation(5, direction="left")},
    "padded": {"padding": 7},
    "padded, without special tokens": {"padding": pw.Padding(7), "add_special_tokens": False},
    "not truncated, not padded": {"truncation": None, "padding": None},
    "without the cache": {"cache": False},
    "not sampled": {"sampling": None},
    "dropout": {"sampling": pw.Sampling(dropout=0.5, seed=3)},
}


@pytest.fixture(scope="module")
def tok() -> pw.Tokenizer:
    return pw.Tokenizer.from_str("\n".join(VOCAB)).replace(padding=pw.Padding(6), truncation=40)


def check(found: Any, wanted: list[int]) -> None:
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (np.dtype(np.uint32), (len(wanted),))
    assert found.tolist() == wanted
    assert found.flags.owndata
    assert found.flags.writeable
    assert found.flags.c_contiguous


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_arrays_equal_lists(tok: pw.Tokenizer, options: dict[str, Any]) -> None:
    for text in TEXTS:
        wanted = tok.encode(text, **options).ids
        ids = tok.encode_ids(text, **options)
        assert type(ids) is list
        assert ids == tok.encode_ids(text, **options, as_array=False) == wanted
        check(tok.encode_ids(text, **options, as_array=True), wanted)
        check(tok.encode_ids(text.encode(), **options, as_array=True), wanted)
        both = tok.encode(text, "hugs", **options).ids
        assert tok.encode_ids(text, "hugs", **options) == both
        check(tok.encode_ids(text, pair="hugs", **options, as_array=True), both)
        words = text.split()
        wanted = tok.encode(words, is_pretokenized=True, **options).ids
        check(tok.encode_ids(words, is_pretokenized=True, **options, as_array=True), wanted)


def test_arrays_without_tokens() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nhug\n")
    check(tok.encode_ids("", as_array=True), [])
    assert tok.encode_ids("") == []


def test_arrays_belong_to_their_caller(tok: pw.Tokenizer) -> None:
    first, second = (tok.encode_ids("hugs pun", as_array=True) for _ in range(2))
    first[:] = 0
    assert second.tolist() == tok.encode_ids("hugs pun") == tok.encode("hugs pun").ids


def test_arrays_of_a_pickled_tokenizer(tok: pw.Tokenizer) -> None:
    copied = pickle.loads(pickle.dumps(tok))
    for text in TEXTS:
        check(copied.encode_ids(text, as_array=True), tok.encode_ids(text))


def test_default_dropout_is_drawn_for_each_array() -> None:
    letters = "abcdefghijkl"
    pieces = [*letters, *(letters[:end] for end in range(2, 13))]
    merges = [(letters[:end], letters[end]) for end in range(1, 12)]
    tok = pw.Tokenizer(pw.models.BPE(pieces, merges, dropout=0.5))
    assert len({tok.encode_ids(letters, as_array=True).tobytes() for _ in range(30)}) > 1
    assert len({tuple(tok.encode_ids(letters)) for _ in range(30)}) > 1
    check(tok.encode_ids(letters, sampling=None, as_array=True), [len(pieces) - 1])


def test_errors_are_equal_for_arrays_and_lists(tok: pw.Tokenizer) -> None:
    for text, options in [("\ud800", {}), (b"\xff", {}), (5, {}), ("[SEP]", {"specials": "error"})]:
        caught = []
        for as_array in (False, True):
            with pytest.raises((pw.PieceworkError, TypeError)) as raised:
                tok.encode_ids(text, **options, as_array=as_array)  # type: ignore[call-overload]
            caught.append((raised.type, str(raised.value)))
        assert caught[0] == caught[1]
    with pytest.raises(
        TypeError, match=r"'arr' is not among the options of encoding; expected one of"
    ):
        tok.encode_ids("a", arr=True)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"encode_ids\(\) missing 1 required positional argument"):
        tok.encode_ids()  # type: ignore[call-overload]
