"""The parts that truncation cuts off: a sequence whose parts are made one by one."""

import copy
import itertools
import pickle
from collections import abc
from typing import Any

import pytest

import piecework as pw
from piecework import hf, processors
from piecework.errors import TruncationError

WORDS = "[UNK]\n[CLS]\n[SEP]\n[PAD]\na\nb\n##b\nabb\n"
RENAMED = 2
"""The place of the renamed tokens in the state of a pickled encoding."""
TEXT = "ab abb é a b 'x' abab b"


def eager(tok: pw.Tokenizer, text: Any, pair: Any = None) -> list[Any]:
    """Returns the parts that a pickle holds, all made at once."""
    encoding = pickle.loads(pickle.dumps(tok.encode(text, pair)))
    return list(encoding.overflowing)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("padding", [None, "longest", 9, pw.Padding(pad_to_multiple_of=4)])
@pytest.mark.parametrize("specials", [True, False])
def test_parts_equal_those_made_at_once(side: Any, padding: Any, specials: bool) -> None:
    """Of all lengths and strides, with and without special tokens, of texts, words and pairs."""
    base = pw.Tokenizer.from_str(WORDS)
    if not specials:
        base = base.replace(post_processor=None)
    for length, stride in itertools.product(range(2, 9), range(4)):
        if stride >= length - 2 * specials:
            continue  # windows would not advance
        cut = pw.Truncation(length, stride, direction=side)
        tok = base.replace(truncation=cut, padding=padding)
        for text in (TEXT, "", "a"):
            encoding = tok.encode(text)
            assert list(encoding.overflowing) == eager(tok, text)
            assert len(encoding.overflowing) == len(list(encoding.overflowing))
        only_first = tok.replace(truncation=pw.Truncation(length, stride, "only_first", side))
        if stride < length - 1 - 3 * specials:
            assert list(only_first.encode(TEXT, "a").overflowing) == eager(only_first, TEXT, "a")
        words = tok.encode(TEXT.split(), is_pretokenized=True)
        assert list(words.overflowing) == pickle.loads(pickle.dumps(words)).overflowing


def test_templates_that_repeat_a_text() -> None:
    """Each part is combined with each."""
    template = processors.TemplateProcessing("$A [SEP] $A", special_tokens=[("[SEP]", 2)])
    tok = pw.Tokenizer.from_str(WORDS).replace(post_processor=template, truncation=3)
    encoding = tok.encode("a b a b")
    assert list(encoding.overflowing) == eager(tok, "a b a b")
    assert len(encoding.overflowing) == 3


def test_parts_equal_those_of_tokenizers() -> None:
    peer = pytest.importorskip("tokenizers")
    tok = pw.Tokenizer.from_str(WORDS).replace(truncation=pw.Truncation(5, 2), padding=6)
    theirs = peer.Tokenizer.from_str(tok.to_str()).encode(TEXT).overflowing
    ours = tok.encode(TEXT).overflowing
    assert [part.ids for part in ours] == [part.ids for part in theirs]
    assert [part.offsets for part in ours] == [part.offsets for part in theirs]
    assert [part.word_ids for part in ours] == [part.word_ids for part in theirs]
    assert [part.type_ids for part in ours] == [part.type_ids for part in theirs]
    found = hf.Tokenizer.from_str(tok.to_str()).encode(TEXT).overflowing
    assert isinstance(found, list)
    assert [part.ids for part in found] == [part.ids for part in theirs]


def test_a_sequence_like_a_list() -> None:
    tok = pw.Tokenizer.from_str(WORDS).replace(post_processor=None, truncation=2)
    parts = tok.encode("a b a b a").overflowing
    assert [part.ids for part in parts] == [[4, 5], [4]]
    assert parts[-1].ids == parts[1].ids == [4]
    assert [part.ids for part in parts[::-1]] == [[4], [4, 5]]
    assert [part.ids for part in reversed(parts)] == [[4], [4, 5]]
    assert parts == tok.encode("a b a b a").overflowing == list(parts)
    assert parts != tok.encode("a b a b b").overflowing
    assert parts != []
    assert parts != 3
    assert tok.encode("a").overflowing == []
    assert bool(parts)
    assert not tok.encode("a").overflowing
    assert parts[0] in parts
    assert repr(parts) == "<2 overflowing parts>"
    assert pickle.loads(pickle.dumps(parts)) == list(parts) == copy.deepcopy(parts)
    assert isinstance(parts, abc.Sequence)
    match parts:
        case [first, _]:
            assert first == parts[0]
        case _:
            pytest.fail("not matched as a sequence")
    assert (parts.index(parts[1]), parts.count(parts[1]), parts.count(3)) == (1, 1, 0)
    assert parts.index(parts[1], 1) == 1
    with pytest.raises(ValueError, match="is not in list"):
        parts.index(parts[0], 1, 2)
    assert parts + parts == parts + list(parts) == list(parts) + parts == [*parts, *parts]
    with pytest.raises(TypeError):
        parts + 3  # type: ignore[operator]
    for place in (2, -3, 1 << 70):
        with pytest.raises(IndexError, match=f"the index {place} is out of range; there are 2"):
            parts[place]
    with pytest.raises(TypeError):
        parts["a"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "settings", [{"padding": 1 << 17}, {"truncation": pw.Truncation(2000, 1990, "only_first")}]
)
@pytest.mark.parametrize("repeats", [False, True])
def test_combined_parts_of_a_short_text_are_bounded(settings: Any, repeats: bool) -> None:
    """Each of hundreds of parts would have 2^17 tokens, or each of thousands 2,000."""
    tok = pw.Tokenizer.from_str(WORDS).replace(
        post_processor=None, truncation=pw.Truncation(40, strategy="only_first")
    )
    if repeats:
        template = processors.TemplateProcessing("$A $A", "$A $B", special_tokens=[])
        tok = tok.replace(post_processor=template)
    encoding = tok.replace(**settings).encode("a " * 30_000, None if repeats else "b")
    with pytest.raises(TruncationError, match="combinations"):
        len(encoding.overflowing)


def test_merged_parts_are_bounded() -> None:
    """Each of 1,500 parts would be combined with each."""
    tok = pw.Tokenizer.from_str(WORDS).replace(post_processor=None, truncation=2)
    encoding = tok.encode("a " * 3000)
    with pytest.raises(TruncationError, match="combinations"):
        encoding.merge([encoding, encoding])
    theirs = hf.Tokenizer.from_str(tok.to_str()).encode("a " * 3000)
    with pytest.raises(TruncationError):
        hf.Encoding.merge([theirs, theirs])
    few = tok.encode("a b a")
    assert len(few.merge([few, few]).overflowing) == 3


def test_pickled_encodings_are_bytes() -> None:
    tok = pw.Tokenizer.from_str(WORDS)
    encoding = tok.encode(TEXT * 1000, TEXT)
    again = pickle.loads(pickle.dumps(encoding))
    assert again == encoding
    assert again.tokens == encoding.tokens
    assert len(pickle.dumps(encoding)) < 50 * len(encoding)
    kind, (state,) = encoding.__reduce__()
    for place in range(len(state) - 2):
        # No renamed token is one fewer; the others have one length.
        for wrong in (b"\0", 5, None) if place == RENAMED else (b"", b"\0", 5, None):
            with pytest.raises(ValueError, match="expected what an encoding was pickled as"):
                kind((*state[:place], wrong, *state[place + 1 :]))
    assert all(isinstance(column, bytes) for column in state[3:-2])


def test_overflowing_parts_are_made_one_by_one() -> None:
    """9,000 parts of 1,000 tokens, 360 MB together, of a text of 20 kB."""
    resource = pytest.importorskip("resource", reason="the system does not measure memory")
    tok = pw.Tokenizer.from_str(WORDS).replace(post_processor=None)
    encoding = tok.encode("a " * 10_000, truncation=pw.Truncation(1000, 999))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert len(encoding.overflowing) == 9000
    assert sum(len(part) for part in encoding.overflowing) == 9_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_batches_keep_their_parts(side: Any) -> None:
    tok = pw.Tokenizer.from_str(WORDS).replace(post_processor=None)
    peer = hf.Tokenizer.from_str(tok.to_str())
    peer.enable_truncation(2)
    peer.enable_padding(length=3, direction=side)
    (batched,) = peer.encode_batch(["a b a b a"])
    assert [part.ids for part in batched.overflowing] == [
        part.ids for part in peer.encode("a b a b a").overflowing
    ]
    assert len(batched.overflowing) == 2
