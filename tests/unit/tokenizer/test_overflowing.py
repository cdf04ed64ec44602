"""The parts that truncation cuts off: a sequence whose parts are made one by one."""

import copy
import itertools
import pickle
from typing import Any

import pytest

import piecework as pw
from piecework import hf, processors

WORDS = "[UNK]\n[CLS]\n[SEP]\n[PAD]\na\nb\n##b\nabb\n"
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
    for place in (2, -3, 1 << 70):
        with pytest.raises(IndexError):
            parts[place]
    with pytest.raises(TypeError):
        parts["a"]  # type: ignore[call-overload]


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
