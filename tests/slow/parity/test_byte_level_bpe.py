"""Byte-level BPE against `tokenizers`: offsets of parts of characters, and streaming decoding."""

import random

import piecework as pw
from parity_live import tokenizers
from piecework import decoders, models, pre_tokenizers, processors

TEXTS = (
    " ",
    "a",
    "b",
    "é",
    "e\u0301",
    "😀",
    "中",
    "国",
    "👩‍👩",
    "\n",
    "\u00a0",
    "ñ",
    "[X]",
    "\ufffd",
    "\0",
)
ROUNDS = 1500


def byte_characters() -> list[str]:
    from piecework.reference.text.bytes import BYTE_OF_CHARACTER

    return list(BYTE_OF_CHARACTER)


def some_tokenizer(rng: random.Random) -> pw.Tokenizer:
    """Returns a tokenizer with random merges over the bytes of the texts above."""
    letters = byte_characters()
    parts = [
        c
        for text in TEXTS
        for c in pre_tokenizers.ByteLevel(False, use_regex=False).pre_tokenize_str(text)[0][0]
    ]
    vocab, merges = dict.fromkeys(letters), list[tuple[str, str]]()
    for _ in range(rng.randrange(60)):
        left, right = (rng.choice([*parts, *list(vocab)[256:]]) for _ in range(2))
        if left + right not in vocab and len(left + right) < 9:
            vocab[left + right] = None
            merges.append((left, right))
    prefix_space, trims = rng.random() < 0.3, rng.random() < 0.5
    return pw.Tokenizer(
        models.BPE(list(vocab), merges),
        pre_tokenizer=pre_tokenizers.ByteLevel(prefix_space, use_regex=rng.random() < 0.7),
        post_processor=processors.ByteLevel(prefix_space, trim_offsets=trims),
        decoder=decoders.ByteLevel(),
        added_tokens=[pw.AddedToken("[X]", special=rng.random() < 0.5)],
    )


def test_offsets_of_parts_of_characters_equal_tokenizers() -> None:
    rng = random.Random(11)
    for _ in range(100):
        ours = some_tokenizer(rng)
        theirs = tokenizers.Tokenizer.from_str(ours.to_str())
        for _ in range(ROUNDS // 100):
            text = "".join(rng.choices(TEXTS, k=rng.randrange(10)))
            found, wanted = ours.encode(text), theirs.encode(text)
            assert (found.ids, found.offsets, found.word_ids) == (
                wanted.ids,
                wanted.offsets,
                wanted.word_ids,
            )
            for place in range(len(text)):
                assert found.char_to_token(place) == wanted.char_to_token(place), (text, place)


def test_stream_steps_equal_tokenizers() -> None:
    rng = random.Random(12)
    for _ in range(100):
        ours = some_tokenizer(rng)
        theirs = tokenizers.Tokenizer.from_str(ours.to_str())
        for _ in range(ROUNDS // 100):
            ids, skips = rng.choices(range(len(ours)), k=rng.randrange(20)), rng.random() < 0.5
            stream = ours.decode_stream(skip_special_tokens=skips)
            pieces = [stream.step(i) for i in ids]
            assert "".join(pieces) + stream.finish() == theirs.decode(
                ids, skip_special_tokens=skips
            )
            whole = ours.decode_bytes(ids, skip_special_tokens=skips)
            assert whole.decode("utf-8", "replace") == theirs.decode(ids, skip_special_tokens=skips)


def test_finish_returns_text_that_tokenizers_loses() -> None:
    """The stream of `tokenizers` has no `finish`, so it loses an incomplete character at the end."""
    ours = pw.Tokenizer(models.WordLevel(["a", "ä"], unk_token="a"), decoder=decoders.ByteLevel())
    theirs = tokenizers.Tokenizer.from_str(ours.to_str())
    stream = tokenizers.decoders.DecodeStream(skip_special_tokens=False)
    assert [stream.step(theirs, i) for i in [0, 1]] == ["a", None]
    assert theirs.decode([0, 1]) == "a\ufffd"
    assert list(ours.decode_stream().pieces([0, 1])) == ["a", "\ufffd"]
