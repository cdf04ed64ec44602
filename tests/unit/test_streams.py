"""Streaming decoding: text and bytes, copies, and errors."""

import copy
import random
import threading
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework import decoders, models, pre_tokenizers

pytestmark = pytest.mark.smoke

VOCAB = ["[UNK]", "[SEP]", "Ġa", "ðŁ", "ĺ", "Ģ", "Ċ", "b"]
LLAMA = decoders.Sequence(
    [
        decoders.Replace("▁", " "),
        decoders.ByteFallback(),
        decoders.Fuse(),
        decoders.Strip(" ", left=1),
    ]
)


def tokenizer(vocab: list[str], decoder: decoders.Decoder | None, **more: Any) -> pw.Tokenizer:
    return pw.Tokenizer(models.WordLevel(vocab, unk_token=vocab[0]), decoder=decoder, **more)


BYTE_LEVEL = tokenizer(
    VOCAB, decoders.ByteLevel(), added_tokens=[pw.AddedToken("[SEP]", special=True)]
)


def test_incomplete_characters_are_held_back() -> None:
    stream = BYTE_LEVEL.decode_stream()
    assert [stream.step(i) for i in [2, 3, 4, 5, 6]] == [" a", "", "", "😀", "\n"]
    assert stream.finish() == ""
    assert (stream.step([3, 4]), stream.finish(), stream.finish()) == ("", "\ufffd", "")
    assert (stream.step([3, 7]), stream.finish()) == ("\ufffdb", "")


def test_byte_stream_returns_bytes_of_each_token() -> None:
    stream = BYTE_LEVEL.decode_bytes_stream()
    assert [stream.step(i) for i in [2, 3, 4]] == [b" a", b"\xf0\x9f", b"\x98"]
    assert stream.finish() == b""
    assert BYTE_LEVEL.decode_bytes([2, 3]) == b" a\xf0\x9f"
    assert BYTE_LEVEL.decode_bytes(np.array([2, 3])) == b" a\xf0\x9f"
    assert BYTE_LEVEL.decode_bytes_batch([[2], [3, 4], []]) == [b" a", b"\xf0\x9f\x98", b""]
    batch = BYTE_LEVEL.encode_batch(["b", "Ċ"])
    assert BYTE_LEVEL.decode_bytes_batch(batch) == [b"b", b"\n"]


def test_special_tokens_are_skipped_by_default() -> None:
    ids = [2, 1, 7]
    assert "".join(BYTE_LEVEL.decode_stream().pieces(ids)) == " ab"
    assert "".join(BYTE_LEVEL.decode_stream(skip_special_tokens=False).pieces(ids)) == " a[SEP]b"
    assert BYTE_LEVEL.decode_bytes(ids) == b" ab"
    assert BYTE_LEVEL.decode_bytes(ids, skip_special_tokens=False) == b" a[SEP]b"
    assert (
        b"".join(BYTE_LEVEL.decode_bytes_stream(skip_special_tokens=False).pieces(ids))
        == b" a[SEP]b"
    )


def test_byte_fallback_waits_for_the_end_of_a_byte_run() -> None:
    """One invalid byte changes the text of its whole run, so the run has to end first."""
    tok = tokenizer(["▁a", "<0xE4>", "<0xB8>", "<0xAD>", "<0xFF>", "▁b"], LLAMA)
    stream = tok.decode_stream()
    assert [stream.step(i) for i in [0, 1, 2, 3, 5]] == ["a", "", "", "", "中 b"]
    assert [stream.step(i) for i in [1, 4, 1, 5]] == ["", "\ufffd\ufffd", "\ufffd", " b"]
    assert tok.decode([0, 1, 2, 3, 5, 1, 4, 1, 5]) == "a中 b\ufffd\ufffd\ufffd b"
    assert tok.decode_bytes([0, 1, 4, 5]) == b"a\xe4\xff b"
    words = tokenizer(["un", "able</w>", "to</w>"], decoders.BPEDecoder())
    assert list(words.decode_stream().pieces([0, 1, 2])) == ["un", "able", " to"]
    assert list(tokenizer(["a", "b"], None).decode_stream().pieces([0, 1])) == ["a", " b"]


def test_stream_holds_back_only_a_last_space() -> None:
    """A trained decoder removes it by an expression; with Strip a stream returns text only at the end."""
    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = pw.BpeTrainer(max_merges=9, alphabet="byte", end_of_word_suffix="</w>")
    tok = pw.train(["low lower low"], trainer, pre_tokenizer=split)
    assert isinstance(tok.decoder, decoders.Sequence)
    assert tok.decoder.decoders[-1] == decoders.Replace(pw.Regex(r" (?![\s\S])"), "")
    ids = tok.encode_ids("low low lower")
    stream = tok.decode_stream()
    assert [stream.step(number) for number in ids] == ["low", " low", " lower"]
    assert stream.finish() == ""
    assert tok.decode(ids) == "low low lower"
    assert tok.decode_bytes(ids) == b"low low lower"
    assert (tok.decode([]), tok.decode_bytes([]), tok.decode_stream().finish()) == ("", b"", "")
    other = tok.replace(
        decoder=decoders.Sequence([*tok.decoder.decoders[:-1], decoders.Strip(" ", right=1)])
    )
    assert other.decode(ids) == tok.decode(ids)


def test_steps_equal_whole_decoding() -> None:
    parts = [
        "",
        "a",
        "b",
        "##a",
        "a</w>",
        "▁",
        "▁a",
        "Ġ",
        "ä",
        "¸",
        "Ń",
        "<0xE4>",
        "<0xB8>",
        ".",
        " ",
        "中",
        "'s",
    ]
    every = [
        decoders.BPEDecoder(),
        decoders.ByteLevel(),
        decoders.CTC("b", "a"),
        decoders.Metaspace(),
        decoders.WordPiece(),
        LLAMA,
        decoders.Sequence([decoders.Fuse(), decoders.Replace(pw.Regex("a+"), "x")]),
        decoders.Sequence([decoders.ByteLevel(), decoders.Strip("a", 1, 1)]),
        None,
    ]
    rng = random.Random(8)
    for decoder in every:
        tok = tokenizer(parts, decoder)
        for _ in range(200):
            ids = rng.choices(range(len(parts)), k=rng.randrange(12))
            stream, cut = tok.decode_stream(), rng.randrange(12)
            assert stream.step(ids[:cut]) + stream.step(ids[cut:]) + stream.finish() == tok.decode(
                ids
            )
            assert "".join(stream.pieces(ids)) == tok.decode(ids)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_are_independent(copied: Any) -> None:
    one = BYTE_LEVEL.decode_stream()
    assert one.step(3) == ""
    other = copied(one)
    assert (one.step([4, 5]), other.finish()) == ("😀", "\ufffd")
    assert (one.finish(), other.step(7)) == ("", "b")


def test_invalid_ids_raise() -> None:
    stream = BYTE_LEVEL.decode_stream()
    assert stream.step(3) == ""
    with pytest.raises(
        pw.errors.TokenIdError, match="id 99 is not in the vocabulary, whose ids end at 7"
    ):
        stream.step([4, 99])
    with pytest.raises(pw.errors.TokenIdError, match="negative or over 2"):
        stream.step(-1)
    with pytest.raises(TypeError):
        stream.step("a")  # type: ignore[arg-type]
    assert stream.step([4, 5]) == "😀"  # the failed step had no effect
    with pytest.raises(pw.errors.TokenIdError, match="negative or over 2"):
        BYTE_LEVEL.decode_bytes([1 << 32])


def test_numpy_ids_are_accepted() -> None:
    stream = BYTE_LEVEL.decode_stream()
    assert stream.step(np.int64(2)) == " a"  # type: ignore[arg-type]
    assert stream.step(np.array([7, 7], dtype=np.uint32)) == "bb"


def test_stream_restarts_after_an_error() -> None:
    tok = tokenizer(["a" * 1000 + "b", "b"], decoders.Replace(pw.Regex("(a|aa)+(?=$)"), ""))
    stream = tok.decode_stream()
    with pytest.raises(pw.errors.RegexError, match="gave up"):
        stream.step([1, 0])
    assert stream.step(1) + stream.finish() == "b"


def test_stream_survives_concurrent_use() -> None:
    """A stream serves one text, but concurrent use must not break it."""
    stream, texts = BYTE_LEVEL.decode_stream(), list[str]()
    threads = [
        threading.Thread(target=lambda: texts.extend(stream.step(7) for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "".join(texts) + stream.finish() == "b" * 2000


def test_step_cost_does_not_grow_with_the_stream() -> None:
    """A step decodes its own token, not the whole text before it."""
    stream = BYTE_LEVEL.decode_stream()
    assert stream.step([2] * 1_000_000) == " a" * 1_000_000
    assert all(
        stream.step(2) == " a" for _ in range(2000)
    )  # would take hours if each step decoded everything


DISPLAYED = [
    (decoders.ByteLevel(), "Ġna", " na"),
    (decoders.ByteLevel(), "Ã¯", "ï"),
    (decoders.ByteLevel(), "Ã", "<0xC3>"),
    (decoders.ByteLevel(), "ä¸ŃĠä¸", "中 <0xE4><0xB8>"),
    (decoders.ByteLevel(), "ĊĠĠĀ", "\\n  \\x00"),
    (decoders.ByteLevel(), "中Ġ", "中Ġ"),
    (LLAMA, "▁na", " na"),
    (LLAMA, "<0x0A>", "\\n"),
    (LLAMA, "<0xE4>", "<0xE4>"),
    (decoders.Metaspace(), "▁a▁", " a "),
    (decoders.WordPiece(), "##a", "##a"),
    (decoders.BPEDecoder(), "a</w>", "a</w>"),
    (None, "Ġa", "Ġa"),
    (None, "\u3000\u202e", "\\u3000\\u202e"),
]


@pytest.mark.parametrize(("decoder", "token", "wanted"), DISPLAYED)
def test_display_token(decoder: decoders.Decoder | None, token: str, wanted: str) -> None:
    tok = tokenizer([token], decoder)
    assert tok.display_token(token) == tok.display_token(0) == wanted
    with pytest.raises(pw.errors.TokenIdError, match="id 1 is not in the vocabulary"):
        tok.display_token(1)
