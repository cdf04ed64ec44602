"""The stages of an explanation: normalized text, words and pieces, linked by offsets; limits and hostile texts."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Sequence
from typing import Any

import pytest

import piecework as pw
from piecework import decoders, models, normalizers, pre_tokenizers
from piecework.errors import ConfigError
from piecework.tokenizer._explain.explanation import Explanation, Word
from piecework.tokenizer._explain.steps import WordPieceSteps

pytestmark = pytest.mark.smoke

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
NOTE = ["b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug", "[UNK]"]
HOSTILE = [
    "<script>alert(1)</script>",
    "\u202eevil\u202c \u2066x\u2069",
    "e" + "\u0301" * 100_000,
    "a\rb\r\nc",
    "\x00\x01\x1b[31mred\x1b[0m\x7f",
    "\u0301" * 1000,
    "\ufeff\u200b\u200d\xad\u2028",
    "",
    "   ",
    "\U0010ffff\ue000",
]


def wordpiece(**settings: Any) -> pw.Tokenizer:
    return pw.train(WORDS, pw.WordPieceTrainer(20, **settings))


def check_links(explained: Explanation) -> None:
    """Checks that spans of words and pieces lie within each other, in order."""
    end = 0
    normalized = explained.normalized.text
    for word in explained.words:
        start, stop = word.normalized_span
        assert end <= start <= stop <= len(normalized)
        end = stop
        assert 0 <= word.offsets[0] <= word.offsets[1] <= len(explained.text)
        for piece in word.pieces:
            assert 0 <= piece.span[0] < piece.span[1] <= len(word.text)
            assert start <= piece.normalized_span[0] <= piece.normalized_span[1] <= stop
            assert word.offsets[0] <= piece.offsets[0] <= piece.offsets[1] <= word.offsets[1]
            assert piece.text == normalized[slice(*piece.normalized_span)]
            assert original(explained, piece.normalized_span) == piece.offsets


def original(explained: Explanation, span: tuple[int, int]) -> tuple[int, int]:
    """Returns the characters of the original of a range of the normalized text, by the alignment."""
    start, end = span
    found = [run for run in explained.normalized.alignment if run.start < end and start < run.end]
    first, last = found[0], found[-1]
    is_exact = [run.end - run.start == run.original_end - run.original_start for run in found]
    begin = first.original_start + (max(start, first.start) - first.start) * is_exact[0]
    stop = last.original_end - (last.end - min(end, last.end)) * is_exact[-1]
    return begin, stop


# Stages


def test_stages_of_wordpiece() -> None:
    explained = wordpiece().explain("HÚGS  [SEP]pún!")
    assert explained.model == "WordPiece"
    assert explained.normalized.text == "hugs  [SEP]pun!"
    assert [(word.text, word.kind, word.offsets) for word in explained.words] == [
        ("hugs", "text", (0, 4)),
        ("[SEP]", "special", (6, 11)),
        ("pun", "text", (11, 14)),
        ("!", "text", (14, 15)),
    ]
    check_links(explained)
    assert explained.words[1].steps is None
    (mark,) = explained.words[3].pieces
    assert (mark.kind, mark.unknown_span, mark.bytes) == ("unknown", (0, 1), b"!")


def test_alignment_has_runs() -> None:
    tok = pw.Tokenizer(
        models.WordLevel(["a"], "a"),
        normalizer=normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()]),
    )
    # A ligature becomes two characters, a mark is removed, the rest stands for itself.
    explained = tok.explain("ab\ufb01c\u0301d")
    assert explained.normalized.text == "abficd"
    assert [tuple(run) for run in explained.normalized.alignment] == [
        (0, 2, 0, 2),
        (2, 4, 2, 3),
        (4, 5, 3, 4),
        (5, 6, 5, 6),
    ]
    one = pw.Tokenizer(models.WordLevel(["a"], "a")).explain("a" * 1000)
    assert [tuple(run) for run in one.normalized.alignment] == [(0, 1000, 0, 1000)]


@pytest.mark.parametrize("text", ["Ｈello wörld", " \U0001f600\u200d!", "\u0e33x", "ﬁ\u0301ﬁ"])
def test_words_of_pre_tokenizers_that_write(text: str) -> None:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=True)
    for pre_tokenizer in (
        byte_level,
        pre_tokenizers.Metaspace(),
        pre_tokenizers.Metaspace(prepend_scheme="first"),
        pre_tokenizers.Sequence([pre_tokenizers.Punctuation(), byte_level]),
    ):
        vocab = ["[UNK]", *map(chr, range(33, 0x180)), "He", "▁"]
        tok = pw.Tokenizer(
            models.BPE(vocab, [("H", "e")], unk_token="[UNK]"),
            normalizer=normalizers.NFKC(),
            pre_tokenizer=pre_tokenizer,
            decoder=decoders.ByteLevel(),
        )
        explained = tok.explain(text)
        encoding = tok.encode(text, add_special_tokens=False)
        assert explained.ids == encoding.ids
        assert [piece.offsets for piece in explained.pieces] == encoding.offsets
        check_links(explained)


def test_added_tokens_are_words() -> None:
    tok = wordpiece().with_added_tokens([pw.AddedToken("<x>", lstrip=True), "hug"])
    explained = tok.explain("pug  <x>hugs [MASK]")
    assert [(word.text, word.kind, word.offsets) for word in explained.words] == [
        ("pug", "text", (0, 3)),
        ("  <x>", "added", (3, 8)),
        ("hug", "added", (8, 11)),
        ("s", "text", (11, 12)),
        ("[MASK]", "special", (13, 19)),
    ]
    assert [piece.kind for piece in explained.pieces][1:3] == ["added", "added"]


def test_specials_are_treated_as_in_encode() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
    for specials in ("match", "text", {"[SEP]"}):
        explained = tok.explain("hugs[SEP]", specials=specials)  # type: ignore[arg-type]
        wanted = tok.encode("hugs[SEP]", specials=specials, add_special_tokens=False)  # type: ignore[arg-type]
        assert explained.ids == wanted.ids
    with pytest.raises(pw.errors.SpecialTokenError, match="character 4"):
        tok.explain("hugs[SEP]", specials="error")


# WordPiece


@pytest.mark.parametrize(
    ("word", "pieces", "unmatched"),
    [
        ("hugs", ["hug", "##s"], None),
        ("bugs", ["b", "##u", "##gs"], None),
        ("pugs", ["p", "##u", "##gs"], None),
        ("mug", ["[UNK]"], (0, 1)),
        ("bum", ["[UNK]"], (2, 3)),
    ],
)
def test_words_of_the_notes(
    word: str, pieces: list[str], unmatched: tuple[int, int] | None
) -> None:
    explained = pw.Tokenizer(models.WordPiece(NOTE)).explain(word)
    assert [piece.token for piece in explained.pieces] == pieces
    assert explained.pieces[0].unknown_span == unmatched
    if unmatched:
        named = f"no piece matches at {word[unmatched[0]]!r}, character {unmatched[0]} of {word!r}"
        assert named in str(explained)


def test_note_of_an_unmatched_run() -> None:
    vocab = ["[UNK]", "x", "##x", "##c", "##luo"]
    for unknown in ("run", "char"):
        tok = pw.Tokenizer(models.WordPiece(vocab, unknown=unknown))  # type: ignore[arg-type]
        explained = tok.explain("ğxcluo")
        assert [piece.token for piece in explained.pieces] == ["[UNK]", "##x", "##c", "##luo"]
        assert "no piece matches at 'ğ' (U+011F)" in str(explained)
        assert explained.pieces[0].unknown_span == (0, 1)


def naive_matches(word: str, vocab: list[str]) -> list[tuple[str | None, list[str]]]:
    """Returns each longest match with the prefixes that were tried before it, as the papers define it."""
    found, start = list[tuple[str | None, list[str]]](), 0
    while start < len(word):
        tried = list[str]()
        for end in range(len(word), start, -1):
            prefix = ("##" if start else "") + word[start:end]
            if prefix in vocab:
                found.append((prefix, tried))
                start = end
                break
            tried.append(prefix)
        else:
            return [*found, (None, tried)]
    return found


@pytest.mark.parametrize("word", ["hugs", "bugs", "pugs", "mug", "bum", "hugsx", "hhugsgs", "x"])
def test_prefixes_equal_those_of_a_naive_search(word: str) -> None:
    (explained,) = pw.Tokenizer(models.WordPiece(NOTE)).explain(word).words
    assert isinstance(explained.steps, WordPieceSteps)
    matches = explained.steps.matches
    found = [(match.symbol and match.symbol.token, list(match.tried)) for match in matches]
    assert found == naive_matches(word, NOTE)
    assert all(len(match.tried) == match.tried_count for match in matches)


def test_a_normalized_special_token_is_special() -> None:
    tok = pw.Tokenizer(
        models.WordPiece(["[UNK]", "hug"]),
        normalizer=normalizers.Lowercase(),
        added_tokens=[pw.AddedToken("[X]", special=True, normalized=True)],
    )
    words = tok.explain("hug[X]").words
    assert [(word.kind, word.pieces[0].kind) for word in words[1:]] == [("special", "special")]


def test_special_tokens_among_prefixes() -> None:
    tok = pw.Tokenizer(
        models.WordPiece(["[UNK]", "h", "##u", "hug", "hu"]),
        added_tokens=[pw.AddedToken("hug", special=True)],
    )
    explained = tok.explain("hug", specials="text")
    steps = explained.words[0].steps
    assert isinstance(steps, WordPieceSteps)
    assert explained.ids == tok.encode_ids("hug", specials="text", add_special_tokens=False)
    assert steps.matches[0].special == ("hug",)


def test_word_that_is_too_long() -> None:
    tok = pw.Tokenizer(models.WordPiece(NOTE, max_input_chars_per_word=3))
    explained = tok.explain("hugs")
    assert "the word has 4 characters, more than max_input_chars_per_word=3" in str(explained)
    assert explained.words[0].steps == WordPieceSteps(())


# Limits


def test_long_text_is_counted() -> None:
    tok = wordpiece()
    explained = tok.explain("hugs " * 10_000)
    assert len(explained.words) == 2500
    assert explained.words_left_out == 7500
    assert str(explained).endswith("and 7,500 other words are left out")
    assert tok.explain("hugs " * 100, max_characters=None).words_left_out == 0


@pytest.mark.parametrize("tokens", ["[UNK]\nhugs\n##hugs\n", "[UNK]\nhugs\n##hug\n"])
def test_long_word_is_counted(tokens: str) -> None:
    tok = pw.Tokenizer.from_str(tokens, max_input_chars_per_word=None)
    word = "hugs" * 250_000
    explained = tok.explain(word, max_characters=1000)
    (only,) = explained.words
    count = tok.count(word, add_special_tokens=False)
    assert len(only.pieces) + only.pieces_left_out == count
    assert all(piece.span[0] < 1000 for piece in only.pieces)
    assert only.steps is None
    assert explained.normalized.alignment[-1].end == only.pieces[-1].normalized_span[1]
    assert len(str(explained)) < 1_000_000
    assert len(json.dumps(explained.to_dict())) < 6_000_000


@pytest.mark.parametrize("size", [2000, 2001])
def test_steps_of_words_up_to_the_limit(size: int) -> None:
    tok = wordpiece().replace(max_input_chars_per_word=None)
    (word,) = tok.explain("h" * size).words
    assert (word.steps is None) == (size > 2000)


def test_errors_of_limits() -> None:
    tok = wordpiece()
    for name in ("max_characters", "nbest"):
        for wrong in (0, -1):
            with pytest.raises(pw.errors.ConfigError, match=f"{name}: expected a positive integer"):
                tok.explain("a", **{name: wrong})
    with pytest.raises(TypeError, match="nbest"):
        tok.explain("a", nbest="x")  # type: ignore[arg-type]
    with pytest.raises(pw.errors.SurrogateError):
        tok.explain("\ud800")


# Views


def hostile_tokenizers() -> list[pw.Tokenizer]:
    level = pw.Tokenizer(
        models.BPE([*map(chr, range(33, 0x180))], []),
        pre_tokenizer=pre_tokenizers.ByteLevel(),
        decoder=decoders.ByteLevel(),
    )
    whole = pw.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0))
    return [wordpiece(), level, whole, pw.Tokenizer(models.WordLevel(["?"], "?"))]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_shown_as_text(text: str) -> None:
    for tok in hostile_tokenizers():
        explained = tok.explain(text)
        printed = str(explained)
        assert all(c.isprintable() for c in printed.replace("\n", "")), ascii(printed)[:300]
        assert re.search("[\u0300-\u036f]{5}", printed) is None
        assert max(map(len, printed.split("\n"))) < 20_000
        saved = json.loads(json.dumps(explained.to_dict()))
        assert saved["text"] == text
        html = explained._repr_html_()
        assert "<script" not in html
        inside = re.sub("<style>.*</style>", "", html, flags=re.DOTALL)
        assert all(c.isprintable() for c in inside), ascii(inside)[:300]
        assert re.search("[\u0300-\u036f]{5}", inside) is None
        assert len(html) < 2_000_000


def test_explanations_are_values() -> None:
    explained = wordpiece().explain("Hugs pun")
    assert repr(explained) == "Explanation(Hugs pun -> hugs pun)"
    assert explained == wordpiece().explain("Hugs pun")
    assert explained != wordpiece().explain("hugs pun")
    assert pickle.loads(pickle.dumps(explained)) == copy.deepcopy(explained) == explained
    with pytest.raises(AttributeError, match="immutable"):
        explained.text = "x"  # type: ignore[misc]


def test_json_has_all_stages() -> None:
    saved = json.loads(json.dumps(wordpiece().explain("Hug").to_dict()))
    assert list(saved) == ["text", "model", "normalized", "words", "words_left_out"]
    assert saved["normalized"] == {"text": "hug", "alignment": [[0, 3, 0, 3]]}
    (word,) = saved["words"]
    (piece,) = word["pieces"]
    assert piece["bytes"] == "68 75 67"
    assert piece["code_points"] == ["U+0068", "U+0075", "U+0067"]
    assert (piece["span"], piece["normalized_span"], piece["offsets"]) == ([0, 3],) * 3
    assert piece["merges"][-1]["token"] == "hug"
    assert word["steps"]["type"] == "WordPiece"


def test_bytes_of_pieces() -> None:
    """Prefixes and suffixes are no text; a byte-level piece can be a part of a character."""
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own = [*map(chr, range(33, 0x180))]
    vocab = [*own, *(c + "</w>" for c in own), "Ã©</w>"]
    clip = pw.Tokenizer(
        models.BPE(vocab, [("Ã", "©</w>")], end_of_word_suffix="</w>"),
        pre_tokenizer=level,
        decoder=decoders.ByteLevel(),
    )
    assert [piece.bytes for piece in clip.explain("aé").pieces] == [b"a", "é".encode()]
    assert [piece.bytes for piece in clip.explain("中a").pieces] == [
        b"\xe4",
        b"\xb8",
        b"\xad",
        b"a",
    ]
    pieces = pw.Tokenizer(models.WordPiece(NOTE)).explain("hugs").pieces
    assert [piece.bytes for piece in pieces] == [b"hug", b"s"]
    fallback = models.BPE([f"<0x{byte:02X}>" for byte in range(256)], [], byte_fallback=True)
    assert [piece.bytes for piece in pw.Tokenizer(fallback).explain("é").pieces] == [
        b"\xc3",
        b"\xa9",
    ]


# Parts of a text


@pytest.mark.parametrize("span", [(0, 0), (0, 4), (4, 5), (6, 7), (3, 14), (0, 20), (20, 20)])
def test_words_that_overlap_with_a_span(span: tuple[int, int]) -> None:
    text = "hugs pugs puns  hugs"
    tok = wordpiece()
    every = tok.explain(text)
    part = tok.explain(text, span=span)
    start, end = span
    expected = [word for word in every.words if word.offsets[0] < end and start < word.offsets[1]]
    assert list(part.words) == expected
    assert part.words_left_out == len(every.words) - len(expected)
    assert set(part.normalized.alignment) <= {(0, 20, 0, 20), *part_of_alignment(expected)}
    assert part.normalized.text == every.normalized.text


def part_of_alignment(words: Sequence[Word]) -> list[tuple[int, int, int, int]]:
    """Returns the one run of characters of words of ASCII, or none."""
    if not words:
        return []
    start, end = words[0].offsets[0], words[-1].offsets[1]
    return [(start, end, start, end)]


def test_span_in_characters_of_the_original() -> None:
    tok = wordpiece()
    text = "Pu\u0301gs 🤗 hugs"
    (word,) = tok.explain(text, span=(8, 9)).words
    assert (word.text, word.offsets) == ("hugs", (8, 12))


@pytest.mark.parametrize("span", [(-1, 2), (2, 1), (0, 5)])
def test_span_that_is_no_range(span: tuple[int, int]) -> None:
    with pytest.raises(ConfigError, match=r"^span: expected a start and an end from 0 to 4"):
        wordpiece().explain("hugs", span=span)
