"""`truncate_text`: the longest prefix or suffix of a text with a number of tokens."""

from __future__ import annotations

import pickle
import signal
import time
from typing import Any, Literal

import pytest

import naive_truncation
import piecework as pw
from piecework import models, normalizers, pre_tokenizers, processors
from piecework.errors import ConfigError, SpecialTokenError, SurrogateError, TruncationError
from piecework.tokenizer import _tokenizer as encoding

VOCAB = "[UNK]\n[CLS]\n[SEP]\nhug\n##s\nb\n##u\n"
BERT = pw.Tokenizer.from_str(VOCAB)
LETTERS = "abcdé中 \n▁"


def byte_level(merges: list[tuple[str, str]]) -> pw.Tokenizer:
    """Returns a byte-level BPE tokenizer with GPT-2's pattern."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = [*map(chr, own), *(chr(0x100 + place) for place in range(256 - len(own)))]
    tokens = [*alphabet, *("".join(pair) for pair in merges)]
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return pw.Tokenizer(models.BPE(tokens, merges), pre_tokenizer=splitter)


def test_special_tokens_count() -> None:
    assert BERT.truncate_text("hugs hug hugs", 4) == "hugs "
    assert BERT.truncate_text("hugs hug hugs", 5) == "hugs hug "
    assert BERT.truncate_text("hugs hug hugs", 5, side="left") == " hug hugs"
    assert BERT.truncate_text("hugs hug", 2, add_special_tokens=False) == "hugs "
    assert BERT.truncate_text("hugs", 2) == ""
    assert BERT.truncate_text("", 2) == ""


def test_a_longer_prefix_may_have_fewer_tokens() -> None:
    tok = byte_level([("a", "b"), ("c", "d"), ("ab", "cd")])
    assert [tok.count("abcd"[:length]) for length in range(5)] == [0, 1, 1, 2, 1]
    assert tok.truncate_text("abcd", 1) == "abcd"
    assert tok.truncate_text("abce", 1) == "ab"
    assert tok.truncate_text("abcd", 1, side="left") == "abcd"


def test_no_character_is_divided() -> None:
    tok = byte_level([])
    assert tok.count("👍🏽") == 8
    assert tok.truncate_text("👍🏽", 7) == "👍"
    assert tok.truncate_text("👍🏽", 3) == ""
    assert tok.truncate_text("👍🏽", 7, side="left") == "🏽"


def test_special_tokens_in_the_text() -> None:
    text = "hug[SEP]hug"
    assert BERT.truncate_text(text, 2, add_special_tokens=False) == "hug[SEP]"
    # As text it is [ s e p ]: five unknown tokens.
    parts = [
        BERT.truncate_text(text, n, add_special_tokens=False, specials="text") for n in (1, 2, 3)
    ]
    assert parts == ["hug", "hug[", "hug[SEP"]


def test_a_divided_special_token_is_an_error_if_special_tokens_are() -> None:
    text = "hug [SEP] hug"
    with pytest.raises(SpecialTokenError, match=r"\[SEP\].*character 4"):
        BERT.truncate_text(text, 9, specials="error")
    with pytest.raises(SpecialTokenError, match="character 4"):
        BERT.truncate_text(text, 9, side="left", specials="error")
    assert BERT.truncate_text(text, 1, specials="error", add_special_tokens=False) == "hug "
    assert (
        BERT.truncate_text(text, 1, side="left", specials="error", add_special_tokens=False)
        == " hug"
    )
    far = "hug " * 3000 + "[SEP]"
    assert BERT.truncate_text(far, 7, specials="error") == "hug " * 5
    with pytest.raises(SpecialTokenError, match="character 12000"):
        BERT.truncate_text(far, 7, side="left", specials="error")


def test_parts_that_cannot_be_encoded_do_not_count() -> None:
    tok = pw.Tokenizer(
        models.WordPiece(["hug", "##s"], unk_token=None), pre_tokenizer=pre_tokenizers.Whitespace()
    )
    assert tok.truncate_text("hug hugx hug", 9) == "hug hug"
    assert tok.truncate_text("hug hugx hug", 9, side="left") == " hug"


@pytest.mark.parametrize(
    ("n", "side", "error", "message"),
    [
        (
            1,
            "right",
            TruncationError,
            "1 is too small: an empty text has 2 special tokens; raise `n`",
        ),
        (-1, "right", ConfigError, "n: expected an integer from 0 on, found -1"),
        (True, "right", ConfigError, "n: expected an integer from 0 on, found True"),
        ("3", "right", TypeError, "n: expected an integer"),
        (3, "top", ConfigError, 'side: expected "left" or "right"'),
    ],
)
def test_errors(n: Any, side: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BERT.truncate_text("hug", n, side=side)


def test_only_text_near_the_kept_part_matters() -> None:
    assert BERT.truncate_text("hug " * 9000 + "\ud800", 5) == "hug hug hug "
    with pytest.raises(SurrogateError):
        BERT.truncate_text("hug \ud800", 5)
    with pytest.raises(TypeError, match="text: expected a str"):
        BERT.truncate_text(b"hug", 5)  # type: ignore[arg-type]  # the test


def test_a_model_with_dropout_is_not_random() -> None:
    tok = pw.Tokenizer(models.BPE(["a", "b", "ab"], [("a", "b")], dropout=1.0))
    assert tok.truncate_text("abab", 1) == "ab"


def test_a_template_without_text() -> None:
    template = processors.TemplateProcessing("[CLS]", "$A $B", [("[CLS]", 1)])
    tok = BERT.replace(post_processor=template)
    for side in ("left", "right"):
        assert tok.truncate_text("hug hug", 1, side=side) == "hug hug"  # type: ignore[arg-type]


LETTER_WORDS = models.WordPiece(["[UNK]", "a", "##a"], max_input_chars_per_word=None)
ABC = models.WordPiece(["[UNK]", "abc", "a", "##b", "##c"])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("limit", [None, 1000, 5000])
def test_a_long_unknown_word_is_one_token(
    side: Literal["left", "right"], limit: int | None
) -> None:
    model = models.WordPiece(["[UNK]", "a", "##a"], max_input_chars_per_word=limit)
    tok = pw.Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    word = "a" * 3000 + "Z" + "a" * 3000
    kept = tok.truncate_text(word, 1, side=side)
    assert (len(kept), kept.is_longest) == (6001, True)
    more = tok.truncate_text(f"{word} {word}", 1, side=side)
    assert len(more) == 6002
    assert more.is_longest or side == "left"


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_long_token_that_nearly_matches(side: Literal["left", "right"]) -> None:
    pieces = ["a", "a" * 5000 + "b"]
    model = models.WordPiece(
        ["[UNK]", *pieces, *(f"##{piece}" for piece in pieces)], max_input_chars_per_word=None
    )
    word_piece = pw.Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    unigram = pw.Tokenizer(
        models.Unigram([("<unk>", 0.0), *((piece, -1.0) for piece in pieces)], 0)
    )
    for tok in (word_piece, unigram):
        kept = tok.truncate_text("a" * 5000, 1000, side=side)
        assert (kept, kept.is_longest) == ("a" * 1000, False)


@pytest.mark.parametrize("side", ["left", "right"])
def test_tokens_of_128_characters_are_proven(side: Literal["left", "right"]) -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("a" * 128, -2.0)]
    tok = pw.Tokenizer(models.Unigram(pieces, 0))
    kept = tok.truncate_text("a" * 5000, 20, side=side)
    assert (kept, kept.is_longest) == ("a" * (20 * 128), True)


def test_added_tokens_that_overlap_prove_nothing_in_long_texts() -> None:
    merges = [("b", "a"), ("ba", "c"), ("bac", "c"), ("bacc", "c")]
    model = models.BPE(["a", "b", "c", *("".join(pair) for pair in merges)], merges)
    tok = pw.Tokenizer(model).with_added_tokens(["bb"])
    for size, wanted in ((100, ("bbbaccc", True)), (1440, ("baccc", False))):
        kept = tok.truncate_text("c" * size + "bbbbaccc", 2, side="left")
        assert (kept, kept.is_longest) == wanted
    words = models.WordLevel(["[UNK]", "a", ".", "b"], unk_token="[UNK]")
    tok = pw.Tokenizer(words, pre_tokenizer=pre_tokenizers.Punctuation())
    tok = tok.with_added_tokens([pw.AddedToken(".a..a", single_word=True)])
    for size, longest in ((100, True), (3000, False)):
        kept = tok.truncate_text("b...a..a" + "b" * size, 4)
        assert kept.is_longest == longest
        assert not longest or kept == "b...a..a"


def test_a_cut_added_token_is_part_of_the_word_before_it() -> None:
    tok = pw.Tokenizer(LETTER_WORDS, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    tok = tok.with_added_tokens(["[CLS]"])
    kept = tok.truncate_text("a" * 3000 + "[CLS] b", 1)
    assert (kept, kept.is_longest) == ("a" * 3000 + "[CLS", True)


def test_a_suffix_that_begins_before_a_space_has_another_prefix() -> None:
    model = models.WordPiece(["[UNK]", "12", "▁", "x", "##x"])
    marked = normalizers.Prepend("▁")
    tok = pw.Tokenizer(model, normalizer=marked, pre_tokenizer=pre_tokenizers.FixedLength(3))
    for text in (" 12" + "x" * 20, "12 " * 600 + "x"):
        n = tok.count(text) // 2
        kept = tok.truncate_text(text, n, side="left")
        longer = [text[start:] for start in range(len(text) - len(kept))]
        assert kept.is_longest
        assert all(tok.count(part) > n for part in longer[-64:])


def test_a_run_that_only_counts_next_to_other_text() -> None:
    model = models.BPE(["Ġ", "c"], [])
    tok = pw.Tokenizer(
        model, normalizer=normalizers.Strip(left=False), pre_tokenizer=pre_tokenizers.ByteLevel()
    )
    kept = tok.truncate_text(" " * 3000 + "c", 41, side="left")
    assert (kept, kept.is_longest) == (" " * 40 + "c", True)


def test_unknown_text_as_an_error_proves_nothing_in_long_texts() -> None:
    tok = pw.Tokenizer(models.WordLevel({"a": 0, "b": 1}, "[UNK]"))
    kept = tok.truncate_text("a" * 5000, 3)
    assert (kept, kept.is_longest) == ("a", False)


@pytest.mark.parametrize(
    "normalizer",
    [
        normalizers.BertNormalizer(),
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    ],
)
@pytest.mark.parametrize("removed", ["\u0301" * 3000, "\u0301\u0323" * 1500])
@pytest.mark.parametrize("after", ["", "c", " abc", "abc" * 2000])
def test_long_runs_that_normalization_removes(
    normalizer: normalizers.Normalizer, removed: str, after: str
) -> None:
    tok = pw.Tokenizer(ABC, normalizer=normalizer, pre_tokenizer=pre_tokenizers.BertPreTokenizer())
    text = f"ab{removed}c{after}"
    kept = tok.truncate_text(text, 1)
    assert kept.is_longest
    assert tok.count(kept) == 1
    assert all(
        tok.count(text[:end]) > 1 for end in range(len(kept) + 1, min(len(kept) + 9, len(text) + 1))
    )
    assert len(kept) >= 3003


OWN = pre_tokenizers.Split(pw.Regex(r"a+(?=b)|\s+$|.|\n"), "isolated")


def test_the_result_of_an_own_regular_expression_ends_at_a_word() -> None:
    tok = TOKENIZERS["generic"]
    kept = tok.truncate_text("aab aac", 2)
    assert (kept, kept.is_longest) == ("aa", False)
    whole = tok.truncate_text("aab", 9)
    assert (whole, whole.is_longest) == ("aab", True)
    assert isinstance(pickle.loads(pickle.dumps(kept)), pw.TruncatedText)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    "splitter",
    [
        pre_tokenizers.FixedLength(3),
        pre_tokenizers.UnicodeScripts(),
        pre_tokenizers.Punctuation("merged_with_next"),
        pre_tokenizers.CharDelimiterSplit("|"),
        pre_tokenizers.Dictionary(["北京", "京 a"]),
        OWN,
        pre_tokenizers.Jieba(),
    ],
)
def test_generic_pipelines_take_linear_time(
    splitter: pre_tokenizers.PreTokenizer, side: Literal["left", "right"]
) -> None:
    text = "我来到北京，清华大学。aab中文 分词|" * 2000
    tok = pw.Tokenizer(models.BPE([*sorted(set(text))], []), pre_tokenizer=splitter)
    assert tok.generic_path_reason
    start = time.process_time()
    kept = tok.truncate_text(text, 20_000, side=side)
    assert time.process_time() - start < 20
    assert tok.count(kept) in range(19_998, 20_001)
    longer = text[: len(kept) + 1] if side == "right" else text[-len(kept) - 1 :]
    assert not kept.is_longest or tok.count(longer) > 20_000
    assert kept.is_longest == (splitter is not OWN)


def test_truncation_can_be_interrupted() -> None:
    text = "我来到北京清华大学" * 20_000
    tok = pw.Tokenizer(models.BPE([*sorted(set(text))], []), pre_tokenizer=OWN)
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012  # repeated until the signal arrives
            while time.monotonic() < start + 60:
                tok.truncate_text(text, 90_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


TOKENIZERS = {
    "bert": BERT,
    "bytes": byte_level([("a", "b"), ("Ġ", "a"), ("ab", "ab"), ("x", "x"), ("xx", "xx")]),
    "unigram": pw.train([*naive_truncation.PARTS] * 3, pw.UnigramTrainer(130)),
    "suffix": pw.train(
        [*naive_truncation.PARTS] * 3, pw.BpeTrainer(300, end_of_word_suffix="</w>")
    ),
    "generic": pw.train(["abab xyz"] * 9, pw.BpeTrainer(12)).replace(
        pre_tokenizer=pre_tokenizers.Split(pw.Regex(r"a+(?=b)|\s+$|.|\n"), "isolated")
    ),
    "stripped": BERT.with_added_tokens(
        [
            pw.AddedToken("<new>", lstrip=True, rstrip=True),
            pw.AddedToken("x y", normalized=True),
            pw.AddedToken("ab", single_word=True),
        ]
    ),
    "nfc": byte_level([("a", "b"), ("Ã", "©")]).replace(normalizer=normalizers.NFC()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
def test_truncation_equals_trying_everything(name: str) -> None:
    naive_truncation.check(TOKENIZERS[name], naive_truncation.draw_texts(1), 150)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZERS)
def test_long_texts_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_SMALLEST_PART", 8)
    monkeypatch.setattr(encoding, "_CHARACTERS_PER_TOKEN", 1)
    naive_truncation.check(TOKENIZERS[name], naive_truncation.draw_texts(2), 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "bytes", "unigram"])
@pytest.mark.parametrize("unit", ["x", "xyx", "☃", "é\u0301", "="])
def test_long_runs_without_boundary(name: str, unit: str) -> None:
    text = "ab " + unit * (4800 // len(unit.encode()))
    for n in (2, 3, 9, 40):
        for side in ("left", "right"):
            found = naive_truncation.truncated(TOKENIZERS[name], text, n, side)
            assert found == naive_truncation.longest_part(TOKENIZERS[name], text, n, side)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("text", ["a" * 10**6, "acgt" * 250_000, "☃" * 10**6, " " * 10**6])
def test_hostile_texts_take_little_time(text: str, side: Literal["left", "right"]) -> None:
    for tok in (TOKENIZERS["bert"], TOKENIZERS["bytes"], TOKENIZERS["unigram"]):
        start = time.process_time()
        kept = tok.truncate_text(text, 50, side=side)
        assert tok.count(kept) <= 50
        assert time.process_time() - start < 20
