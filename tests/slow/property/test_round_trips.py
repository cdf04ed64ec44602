"""Pipelines whose decoding inverts encoding, exactly or up to white space."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
import strategies
from piecework import decoders as d, models as m, normalizers as n, pre_tokenizers as p
from profiles import examples

ANY = strategies.texts | st.text(max_size=60)
WITHOUT_METASPACE = ANY.map(lambda text: text.replace("▁", "_"))
# The byte-level alphabet: 188 characters stand for the bytes of their own code, the others for the rest.
BYTE_ALPHABET = [
    chr(code)
    for codes in (range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x144))
    for code in codes
]
WHOLE = m.WordPiece(
    [*BYTE_ALPHABET, "[UNK]"], max_input_chars_per_word=None, continuing_subword_prefix=""
)
SINGLE = m.WordLevel([*BYTE_ALPHABET, "[UNK]"], unk_token="[UNK]")


def character_tokenizer(text: str, **parts: Any) -> pw.Tokenizer:
    """Returns a tokenizer whose vocabulary is the characters of a text and the metaspace."""
    letters = sorted({*text, "▁"} - {""})
    model = m.WordPiece(
        [*letters, "[UNK]"], max_input_chars_per_word=None, continuing_subword_prefix=""
    )
    return pw.Tokenizer(model, **parts)


def round_trip(tok: pw.Tokenizer, text: str) -> str:
    return tok.decode(tok.encode_ids(text))


def test_byte_alphabet_has_256_characters() -> None:
    assert len(BYTE_ALPHABET) == 256
    text = "".join(map(chr, range(0x800))) + "\u0800\uffff\U00010000\U0010ffff"
    assert {*n.ByteLevel().normalize_str(text)} <= {*BYTE_ALPHABET}


# Exact for every str


BYTE_LEVEL: list[tuple[str, pw.Tokenizer]] = [
    (
        "the regex of GPT-2",
        pw.Tokenizer(
            WHOLE, pre_tokenizer=p.ByteLevel(add_prefix_space=False), decoder=d.ByteLevel()
        ),
    ),
    (
        "one word",
        pw.Tokenizer(
            WHOLE,
            pre_tokenizer=p.ByteLevel(add_prefix_space=False, use_regex=False),
            decoder=d.ByteLevel(),
        ),
    ),
    (
        "single bytes",
        pw.Tokenizer(
            SINGLE,
            pre_tokenizer=p.Sequence([p.ByteLevel(add_prefix_space=False), p.FixedLength(1)]),
            decoder=d.ByteLevel(),
        ),
    ),
    (
        "single bytes by a regex",
        pw.Tokenizer(
            SINGLE,
            normalizer=n.ByteLevel(),
            pre_tokenizer=p.Split(pw.Regex("."), "isolated"),
            decoder=d.Sequence([d.Fuse(), d.ByteLevel()]),
        ),
    ),
    ("a normalizer", pw.Tokenizer(WHOLE, normalizer=n.ByteLevel(), decoder=d.ByteLevel())),
    (
        "other words first",
        pw.Tokenizer(
            WHOLE,
            pre_tokenizer=p.Sequence(
                [
                    p.Digits(individual_digits=True),
                    p.Punctuation("merged_with_next"),
                    p.Dictionary(["ab", "un", "中文"]),
                    p.Split(pw.Regex(r"\s+"), "merged_with_previous"),
                    p.ByteLevel(add_prefix_space=False),
                ]
            ),
            decoder=d.ByteLevel(),
        ),
    ),
]


@pytest.mark.parametrize("name", [name for name, _ in BYTE_LEVEL])
@given(text=ANY)
@examples(300)
def test_byte_level_round_trips_any_text(name: str, text: str) -> None:
    tok = dict(BYTE_LEVEL)[name]
    assert round_trip(tok, text) == text
    assert tok.decode_batch(tok.encode_batch([text, text])) == [text, text]


def test_byte_level_round_trips_every_character() -> None:
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    tok = dict(BYTE_LEVEL)["the regex of GPT-2"]
    for start in range(0, len(every), 4096):
        text = "".join(every[start : start + 4096])
        assert tok.decode(tok.encode_ids(text)) == text


@given(ANY)
@examples(300)
def test_single_byte_ids_round_trip(text: str) -> None:
    tok = dict(BYTE_LEVEL)["single bytes"]
    ids = tok.encode_ids(text)
    assert len(ids) == len(text.encode())
    assert tok.encode_ids(tok.decode(ids)) == ids


@given(ANY)
@examples(300)
def test_prefix_space_is_the_only_difference(text: str) -> None:
    tok = pw.Tokenizer(WHOLE, pre_tokenizer=p.ByteLevel(), decoder=d.ByteLevel())
    added = " " if text and not text.startswith(" ") else ""
    assert round_trip(tok, text) == added + text
    stripped = tok.replace(decoder=d.Sequence([d.ByteLevel(), d.Strip(" ", left=1)]))
    if not text.startswith(" "):
        assert round_trip(stripped, text) == text


@given(ANY)
@examples(300)
def test_ascii_added_tokens_round_trip(text: str) -> None:
    tok = dict(BYTE_LEVEL)["the regex of GPT-2"].with_added_tokens(
        [pw.AddedToken("ab", normalized=False), pw.AddedToken("[CLS]", special=True), "un", "a b"]
    )
    text = text.replace("\u0144", "")
    assert tok.decode(tok.encode_ids(text), skip_special_tokens=False) == text
    without = tok.decode(tok.encode_ids(text))
    assert without == text.replace("[CLS]", "")
    assert tok.decode(tok.encode_ids(text, specials="text")) == text


@given(ANY)
@examples(300)
def test_lossless_splits_round_trip(text: str) -> None:
    for pre_tokenizer in (
        None,
        p.Dictionary(["ab", "aab", "un", "  ", "[CLS]"]),
        p.Dictionary(["a", "ab"], single_word=True),
        p.FixedLength(2),
        p.Digits(),
        p.Punctuation("contiguous"),
        p.Split("a", "merged_with_previous"),
        p.Split(pw.Regex(r"\w+"), "isolated", invert=True),
        p.Function(lambda part: [(0, len(part) // 2), (len(part) // 2, len(part))]),
    ):
        tok = character_tokenizer(text, pre_tokenizer=pre_tokenizer, decoder=d.Fuse())
        assert round_trip(tok, text) == text


@given(ANY)
@examples(300)
def test_unicode_scripts_drops_only_leading_text_without_script(text: str) -> None:
    tok = character_tokenizer("a" + text, pre_tokenizer=p.UnicodeScripts(), decoder=d.Fuse())
    assert round_trip(tok, "a" + text) == "a" + text
    kept = round_trip(tok, text)
    assert text.endswith(kept)
    lost = text.removesuffix(kept)
    assert p.UnicodeScripts().pre_tokenize_str(lost) == []


@given(ANY)
@examples(300)
def test_jieba_drops_only_white_space(text: str) -> None:
    words = [word for word, _ in p.Jieba().pre_tokenize_str(text)]
    assert "".join(words).split() == "".join(words).split()
    kept = [c for c in "".join(words) if not c.isspace()]
    assert kept == [c for c in text if not c.isspace()]
    for word, (start, end) in p.Jieba().pre_tokenize_str(text):
        assert text[start:end] == word


# Exact for texts without a metaspace character


@given(WITHOUT_METASPACE)
@examples(300)
def test_metaspace_without_prefix_round_trips(text: str) -> None:
    for split in (True, False):
        tok = character_tokenizer(
            text,
            pre_tokenizer=p.Metaspace(prepend_scheme="never", split=split),
            decoder=d.Metaspace(prepend_scheme="never", split=split),
        )
        assert round_trip(tok, text) == text


@given(WITHOUT_METASPACE, st.sampled_from(["always", "first"]))
@examples(300)
def test_metaspace_with_prefix_drops_one_leading_space(text: str, scheme: Any) -> None:
    tok = character_tokenizer(
        text,
        pre_tokenizer=p.Metaspace(prepend_scheme=scheme),
        decoder=d.Metaspace(prepend_scheme=scheme),
    )
    assert round_trip(tok, text) == text.removeprefix(" ")


@given(WITHOUT_METASPACE)
@examples(300)
def test_llama_normalizer_and_decoder_round_trip(text: str) -> None:
    tok = character_tokenizer(
        text,
        normalizer=n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]),
        decoder=d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", left=1)]),
    )
    assert round_trip(tok, text) == text


# Exact up to white space


WORDS = ["a", "ab", "é", "中文", "12", "!", "'s", "[x]"]


@given(st.lists(st.sampled_from(WORDS)), st.lists(st.sampled_from([" ", "\n", "\u3000", " \t "])))
@examples(200)
def test_known_words_round_trip_with_single_spaces(words: list[str], white: list[str]) -> None:
    text = "".join(
        word + (white[place % len(white)] if white else " ") for place, word in enumerate(words)
    )
    level = pw.Tokenizer(m.WordLevel(["?", *WORDS], "?"), pre_tokenizer=p.WhitespaceSplit())
    assert round_trip(level, text) == " ".join(words)
    letters = sorted({c for word in WORDS for c in word})
    pieces = m.WordPiece(["[UNK]", *letters, *("##" + c for c in letters)])
    decoder = d.WordPiece(cleanup=False)
    tok = pw.Tokenizer(pieces, pre_tokenizer=p.WhitespaceSplit(), decoder=decoder)
    assert round_trip(tok, text) == " ".join(words)


# Decoders alone


@given(ANY)
@examples(300)
def test_decoders_invert_components_of_the_same_name(text: str) -> None:
    assert d.ByteLevel().decode([n.ByteLevel().normalize_str(text)]) == text
    assert d.ByteFallback().decode([f"<0x{byte:02X}>" for byte in text.encode()]) == text
    assert d.ByteFallback().decode([f"<0x{byte:02x}>" for byte in text.encode()]) == text
    assert d.Fuse().decode(list(text)) == text
    words = [word for word, _ in p.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)]
    assert d.ByteLevel().decode(words) == text
    without_metaspace = text.replace("▁", "_")
    marked = [word for word, _ in p.Metaspace().pre_tokenize_str(without_metaspace)]
    assert d.Metaspace().decode(marked) == without_metaspace.removeprefix(" ")
    parts = [part for part in text.replace("</w>", "").split(" ") if part]
    assert d.BPEDecoder().decode([part + "</w>" for part in parts]) == " ".join(parts)


@given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=8))
@examples(200)
def test_ctc_removes_repetition_and_padding(words: list[str]) -> None:
    letters = list("|".join(words))
    repeated = [part for letter in letters for part in (letter, letter, "<pad>")]
    assert d.CTC(cleanup=True).decode(repeated) == " ".join(words)
