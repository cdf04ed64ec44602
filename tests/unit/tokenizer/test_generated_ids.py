"""Generated ids: their bytes and positions in a text, streams that stop, and the bytes of all tokens."""

import copy
import random
from typing import Any

import numpy as np
import pytest

import piecework as pw
from generated_ids import check_positions, check_stops, check_streams, pools, random_ids
from piecework import decoders, models

PARTS = [
    *(
        "[UNK]",
        "[SEP]",
        "a",
        "b",
        "##a",
        "a</w>",
        "▁",
        "▁a",
        "Ġ",
        "Ġa",
        "ä",
        "¸",
        "Ń",
        "ðŁ",
        "ĺ",
        "Ģ",
    ),
    *(
        "<0xE4>",
        "<0xB8>",
        "<0xAD>",
        "<0x61>",
        ".",
        " ",
        "中",
        "'s",
        "User",
        ":",
        "Ċ",
        "\ufffd",
        "</w>",
    ),
]
LLAMA = decoders.Sequence(
    [
        decoders.Replace("▁", " "),
        decoders.ByteFallback(),
        decoders.Fuse(),
        decoders.Strip(" ", left=1),
    ]
)
DECODERS: list[decoders.Decoder | None] = [
    decoders.BPEDecoder(),
    decoders.ByteLevel(),
    decoders.ByteFallback(),
    decoders.CTC("b", "a"),
    decoders.Metaspace(),
    decoders.WordPiece(),
    LLAMA,
    decoders.SentencePiece(add_dummy_prefix=True, byte_fallback=True),
    decoders.Sequence([decoders.Fuse(), decoders.Replace(pw.Regex("a+"), "x")]),
    decoders.Sequence([decoders.ByteLevel(), decoders.Strip("a", 1, 1)]),
    decoders.Sequence([decoders.ByteFallback(), decoders.Replace("\ufffd", "?")]),
    None,
]


def tokenizer(decoder: decoders.Decoder | None, vocab: list[str] = PARTS) -> pw.Tokenizer:
    special = [pw.AddedToken(token, special=True) for token in ("[SEP]",) if token in vocab]
    model = models.WordLevel(vocab, unk_token=vocab[0])
    return pw.Tokenizer(model, decoder=decoder, added_tokens=special)


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_positions_and_streams_equal_whole_decoding(decoder: decoders.Decoder | None) -> None:
    tok, rng = tokenizer(decoder), random.Random(3)
    for _ in range(300):
        ids, skip = random_ids(rng, pools(tok)), rng.random() < 0.5
        check_positions(tok, ids, skip)
        check_streams(rng, tok, ids, skip)
        check_stops(rng, tok, ids, skip)


BYTE_LEVEL = tokenizer(decoders.ByteLevel())
A, SEP, SMILE = (
    PARTS.index("Ġa"),
    PARTS.index("[SEP]"),
    [PARTS.index(part) for part in ("ðŁ", "ĺ", "Ģ")],
)


def test_a_character_of_several_ids_belongs_to_the_first() -> None:
    ids = [A, SEP, *SMILE, A]
    assert BYTE_LEVEL.decode_with_offsets(ids) == (" a😀 a", [0, 2, 2, 3, 3, 3], [0, 2, 2, 4, 5, 6])
    assert BYTE_LEVEL.decode_tokens_bytes(ids) == [b" a", b"", b"\xf0\x9f", b"\x98", b"\x80", b" a"]
    with_special = BYTE_LEVEL.decode_with_offsets(ids, skip_special_tokens=False)
    assert with_special.starts == [0, 2, 7, 8, 8, 8]


def test_replaced_bytes_have_the_positions_of_their_ids() -> None:
    """ByteLevel replaces what begins a character once; Llama replaces each byte of a run that is not UTF-8."""
    incomplete = [*SMILE[:2], A, SMILE[2]]
    assert BYTE_LEVEL.decode_with_offsets(incomplete) == (
        "\ufffd a\ufffd",
        [0, 1, 1, 3],
        [0, 2, 3, 5],
    )
    llama = tokenizer(LLAMA)
    run = [PARTS.index(part) for part in ("▁a", "<0x61>", "<0xE4>", "▁a", "<0x61>")]
    found = llama.decode_with_offsets(run)
    assert (found.text, found.starts) == ("a\ufffd\ufffd aa", [0, 1, 2, 3, 5])


def test_batches_are_columns() -> None:
    rows = [[A, *SMILE], [], [SEP, A]]
    found = BYTE_LEVEL.decode_with_offsets_batch(rows)
    single = [BYTE_LEVEL.decode_with_offsets(row) for row in rows]
    assert found.texts == [one.text for one in single]
    assert found.row_offsets.tolist() == [0, 4, 4, 6]
    assert found.starts.tolist() == [start for one in single for start in one.starts]
    assert found.byte_starts.tolist() == [start for one in single for start in one.byte_starts]
    assert {column.dtype for column in found[1:]} == {np.dtype("int64")}
    batch = BYTE_LEVEL.encode_batch(["Ġa", "User"])
    assert BYTE_LEVEL.decode_with_offsets_batch(batch).texts == BYTE_LEVEL.decode_batch(batch)
    with pytest.raises(pw.errors.TokenIdError, match="text 1: id 99"):
        BYTE_LEVEL.decode_with_offsets_batch([[A], [99]])
    with pytest.raises(TypeError, match=r"batch: expected .*rows of token ids, found 7"):
        BYTE_LEVEL.decode_with_offsets_batch(7)  # type: ignore[arg-type]


def test_text_is_held_back_only_while_a_stop_may_begin() -> None:
    user, colon, line = PARTS.index("User"), PARTS.index(":"), PARTS.index("Ċ")
    stream = BYTE_LEVEL.decode_stream(stop=["\nUser:", "[SEP]"])
    assert [stream.step(number) for number in [A, line, user, A]] == [" a", "", "", "\nUser a"]
    assert [stream.step(number) for number in [line, user]] == ["", ""]
    other = copy.copy(stream)
    assert (stream.step([colon, A]), stream.stopped, stream.rest) == ("", "\nUser:", " a")
    assert (stream.step(A), stream.finish(), stream.rest) == ("", "", " a a")
    assert (other.step(SEP), other.stopped, other.rest) == ("\nUser", "[SEP]", "")
    assert (stream.step(A), stream.stopped, stream.rest) == (" a", None, ""), "another text begins"
    held = BYTE_LEVEL.decode_stream(stop="\nUser:")
    assert (held.step([line, user]), held.finish(), held.stopped) == ("", "\nUser", None)


def test_stops_are_strings_and_ids() -> None:
    stream = BYTE_LEVEL.decode_stream(stop=SEP, skip_special_tokens=False)
    assert (stream.step([A, SEP, A]), stream.stopped, stream.rest) == (" a", SEP, " a")
    longest = BYTE_LEVEL.decode_stream(stop=["a", " a", SEP, "a[SEP]"], skip_special_tokens=False)
    assert (longest.step([A, SEP]), longest.stopped, longest.rest) == ("", " a", "[SEP]")
    longer = BYTE_LEVEL.decode_stream(stop=[SEP, "a[SEP]"], skip_special_tokens=False)
    assert (longer.step([A, SEP]), longer.finish(), longer.stopped) == (" ", "", "a[SEP]")
    data = BYTE_LEVEL.decode_bytes_stream(stop=["😀"])
    assert (data.step([A, *SMILE, A]), data.stopped, data.rest) == (b" a", "😀", b" a")
    assert BYTE_LEVEL.decode_stream(stop=[]).step(A) == " a"


@pytest.mark.parametrize(
    ("stop", "error", "message"),
    [
        ([""], pw.errors.ConfigError, "stop: expected strings that are not empty"),
        ([99], pw.errors.TokenIdError, "id 99 is not in the vocabulary"),
        ([1.5], TypeError, "stop: expected strings and token ids, found float"),
        ([True], TypeError, "stop: expected strings and token ids, found bool"),
        (None, TypeError, "stop: expected strings and token ids"),
        (b"x", TypeError, "stop: expected strings and token ids"),
        ([-1], pw.errors.TokenIdError, "negative or over 2"),
        (["\ud800"], pw.errors.SurrogateError, "surrogate"),
    ],
)
def test_invalid_stops_raise(stop: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BYTE_LEVEL.decode_stream(stop=stop)


def test_ids_before_a_stream_are_its_context() -> None:
    """The text continues that of a prompt, in which no stop is searched."""
    llama = tokenizer(LLAMA)
    word, colon = PARTS.index("▁a"), PARTS.index(":")
    prompt = [word, colon]
    assert llama.decode_stream().step(word) == "a"
    stream = llama.decode_stream(after=prompt, stop=[":", ": a"])
    assert (stream.step(word), stream.step(word), stream.stopped) == (" a", " a", None)
    details = llama.decode_stream(after=prompt, details=True)
    assert details.step(word) == (" a", b" a", 0, 0)
    assert details.step(colon) == (":", b":", 2, 2)
    with pytest.raises(pw.errors.TokenIdError):
        llama.decode_stream(after=[99])
    resumed = BYTE_LEVEL.decode_stream(stop="a a")
    assert (resumed.step([A]), resumed.step(A), resumed.stopped) == (" ", "", "a a"), (
        "a stop over the resumption"
    )


def test_bytes_of_all_tokens() -> None:
    found = BYTE_LEVEL.token_bytes()
    assert found is BYTE_LEVEL.token_bytes()
    assert (found[A], found[SEP], found[SMILE[0]], found[-1]) == (
        b" a",
        b"[SEP]",
        b"\xf0\x9f",
        b"</w>",
    )
    assert (found.data, len(found)) == (b"".join(found), len(PARTS))
    spans = zip(found.offsets[:-1], found.offsets[1:], strict=True)
    assert [found.data[start:end] for start, end in spans] == list(found)
    assert found[A : SMILE[0]] == [found[number] for number in range(A, SMILE[0])]
    assert not found.offsets.flags.writeable
    with pytest.raises(IndexError, match="whose ids end at 28"):
        found[len(PARTS)]
    with pytest.raises(AttributeError):
        found.data = b""  # type: ignore[misc]
    word = PARTS.index("▁a")
    for decoder, wanted in [
        (LLAMA, b" a"),
        (decoders.Metaspace(), b" a"),
        (decoders.WordPiece(), " ▁a".encode()),
        (None, " ▁a".encode()),
    ]:
        assert tokenizer(decoder).token_bytes()[word] == wanted, decoder
    words = tokenizer(decoders.BPEDecoder(), ["lo", "la", "w</w>", "er</w>"])
    assert list(words.token_bytes()) == [b"lo", b"la", b"w ", b"er "]
    gap = BYTE_LEVEL.with_added_tokens(["<x>"])
    assert gap.token_bytes()[len(PARTS)] == b"<x>"


def test_continuation_bytes_take_linear_time() -> None:
    """A million bytes that continue no character: each is replaced at once, none is kept."""
    stream = BYTE_LEVEL.decode_stream(stop=["\ufffda"])
    ids = [SMILE[1]] * 1_000_000
    assert stream.step(ids) == "\ufffd" * 999_999
    assert all(stream.step(SMILE[1]) == "\ufffd" for _ in range(1000))
    llama = tokenizer(LLAMA)
    byte = PARTS.index("<0xAD>")
    assert llama.decode_stream().step([byte] * 1_000_000) == "\ufffd" * 1_000_000
    assert llama.decode_with_offsets([byte] * 100_000).starts == list(range(100_000))
