"""Tokens of characters and of words, as their columns define them."""

from __future__ import annotations

import pytest

import piecework as pw
from piecework import decoders, models, pre_tokenizers, processors
from piecework._byte_text import byte_characters

WORDS = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\n[PAD]\nhug\n##s\nb\n##u\n")
BYTES = pw.Tokenizer(
    models.BPE([*byte_characters().values()], []),
    pre_tokenizer=pre_tokenizers.ByteLevel(),
    post_processor=processors.ByteLevel(trim_offsets=True),
    decoder=decoders.ByteLevel(),
)
PART = WORDS.encode(
    "hugs b", "bu hugs hugs hugs", padding=pw.Padding(12, direction="left", pad_id=3)
)
ENCODINGS = {
    "a text": WORDS.encode("hugs bu é hug"),
    "a pair": WORDS.encode("hugs bu", "b hugs hug"),
    "padding": PART,
    "truncation": WORDS.encode("hugs bu hugs b", truncation=pw.Truncation(5, stride=1)).overflowing[
        0
    ],
    "bytes of a character": BYTES.encode("a 🤗 中x"),
    "parts in a row": pw.Encoding.merge([PART, WORDS.encode("b hugs")], growing_offsets=True),
    "parts that begin again": pw.Encoding.merge(
        [WORDS.encode("hugs bu hug"), WORDS.encode("b hugs")], growing_offsets=False
    ).with_sequence_id(0),
    "special tokens of the text": WORDS.encode("hugs bu é hug").with_sequence_id(0),
    "nothing": WORDS.encode("", add_special_tokens=False),
}


def tokens_of(encoding: pw.Encoding, sequence: int) -> list[int]:
    """Returns the tokens of a text."""
    return [at for at in range(len(encoding)) if encoding.token_to_sequence(at) == sequence]


def texts_of(encoding: pw.Encoding) -> set[int]:
    """Returns the numbers of the texts."""
    numbers = (encoding.token_to_sequence(at) for at in range(len(encoding)))
    return {number for number in numbers if number is not None}


@pytest.mark.parametrize("name", ENCODINGS)
def test_tokens_of_characters(name: str) -> None:
    encoding = ENCODINGS[name]
    for sequence in texts_of(encoding):
        for character in range(40):
            containing = [
                at
                for at in tokens_of(encoding, sequence)
                if encoding.offsets[at][0] <= character < encoding.offsets[at][1]
            ]
            wanted = containing[0] if containing else None
            assert encoding.char_to_token(character, sequence) == wanted


@pytest.mark.parametrize("name", [name for name in ENCODINGS if "again" not in name])
def test_tokens_of_words(name: str) -> None:
    encoding = ENCODINGS[name]
    for sequence in texts_of(encoding):
        for word in range(12):
            tokens = [at for at in tokens_of(encoding, sequence) if encoding.word_ids[at] == word]
            wanted = (tokens[0], tokens[-1] + 1) if tokens else None
            assert encoding.word_to_tokens(word, sequence) == wanted


def test_words_that_begin_again_are_found_in_the_first_part() -> None:
    encoding = ENCODINGS["parts that begin again"]
    assert encoding.word_ids == [None, 0, 0, 1, 1, 2, None, None, 0, 1, 1, None]
    assert [encoding.word_to_tokens(word) for word in range(4)] == [(1, 3), (3, 5), (5, 6), None]
