"""The answers of the core on what words cannot contain, compared with the words of all short texts."""

import json
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest

import piecework as pw
from parts import NORMALIZERS, PIECEWORK_PRE_TOKENIZERS, PRE_TOKENIZERS
from piecework import models, normalizers, pre_tokenizers
from piecework._core import TextStages, WordCharacters

ALPHABET = "aB1.©_ 中é\u0301"
TEXTS = ["".join(cs) for length in range(4) for cs in product(ALPHABET, repeat=length)]
"""All texts of up to three characters, one of each class that pre-tokenizers distinguish."""
BERT = pre_tokenizers.BertPreTokenizer()
STAGES: list[tuple[Any, Any]] = [
    *((normalizer, None) for normalizer in NORMALIZERS),
    *((normalizer, BERT) for normalizer in NORMALIZERS),
    *((None, pre_tokenizer) for pre_tokenizer in PRE_TOKENIZERS + PIECEWORK_PRE_TOKENIZERS),
    (normalizers.Precompiled.of("nmt_nfkc_cf"), pre_tokenizers.Metaspace()),
    (normalizers.Precompiled.of({"a": "1", "q": "x", "B.": "é"}), None),
    (
        normalizers.Sequence([normalizers.NFD(), normalizers.NFC(), normalizers.BertNormalizer()]),
        pre_tokenizers.WhitespaceSplit(),
    ),
    (normalizers.Sequence([normalizers.NFD(), normalizers.NFKC()]), None),
    (normalizers.SentencePiece(user_defined_symbols=["aB"]), None),
    (normalizers.SentencePiece(escape_whitespaces=False), BERT),
    (None, pre_tokenizers.Sequence([BERT, pre_tokenizers.Metaspace(split=False)])),
    (None, pre_tokenizers.Sequence([pre_tokenizers.Dictionary(["a."]), BERT])),
]
"""Two stages of each kind, and pairs where one decides what the other sees."""
PAIRS = [each for each in STAGES if "ByteLevel" not in repr(each)]
"""Those without characters that represent bytes, which the answers leave out."""


def tokenizer(normalizer: Any, pre_tokenizer: Any) -> pw.Tokenizer:
    """Returns a tokenizer whose words are those of the two stages."""
    model = models.WordLevel(["<unk>"], unk_token="<unk>")
    return pw.Tokenizer(model=model, normalizer=normalizer, pre_tokenizer=pre_tokenizer)


@cache
def words_of(normalizer: str, pre_tokenizer: str) -> set[str]:
    """Returns the words of all short texts by the JSON of two stages."""
    text = f'{{"normalizer": {normalizer}, "pre_tokenizer": {pre_tokenizer}}}'
    stage = TextStages(text, [])
    return {word for text in TEXTS for word, _ in stage.pre_tokenize(text)}


@pytest.mark.parametrize("stages", PAIRS, ids=range(len(PAIRS)))
def test_words_contain_nothing_impossible(stages: tuple[Any, Any]) -> None:
    tok = tokenizer(*stages)
    found = words_of(json.dumps(tok._parts["normalizer"]), json.dumps(tok._parts["pre_tokenizer"]))
    answers = WordCharacters(tok._core)
    characters = {c for word in found for c in word}
    assert [c for c in characters if not answers.is_possible(c)] == []
    alone = {c for c in characters if answers.is_alone(c)}
    first = {c for c in characters if answers.is_always_first(c)}
    assert [word for word in found if len(word) > 1 and alone.intersection(word)] == []
    assert [word for word in found if first.intersection(word[1:])] == []
    pairs = {pair for word in found for pair in pairwise(word)}
    assert [pair for pair in pairs if answers.is_separated(*pair)] == []


def impossible(normalizer: Any, pre_tokenizer: Any) -> tuple[str, str, str]:
    """Returns the characters that words cannot contain, contain alone, and contain first."""
    answers = WordCharacters(tokenizer(normalizer, pre_tokenizer)._core)
    possible = [c for c in ALPHABET + "\u2581" if answers.is_possible(c)]
    return (
        "".join(c for c in ALPHABET if c not in possible),
        "".join(c for c in possible if answers.is_alone(c)),
        "".join(c for c in possible if answers.is_always_first(c)),
    )


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer", "wanted"),
    [
        (None, None, ("", "", "")),
        (normalizers.BertNormalizer(), BERT, ("B é\u0301", "._中", "._中")),
        (normalizers.BertNormalizer(handle_chinese_chars=False), BERT, ("B é\u0301", "._", "._")),
        (normalizers.Lowercase(), None, ("B", "", "")),
        (normalizers.Sequence([normalizers.NFD(), normalizers.NFC()]), None, ("", "", "")),
        (normalizers.NFD(), None, ("é", "", "")),
        (normalizers.Replace("a", "b"), None, ("a", "", "")),
        (normalizers.SentencePiece(), None, (" ", "", "")),
        (None, pre_tokenizers.WhitespaceSplit(), (" ", "", "")),
        (None, pre_tokenizers.Digits(individual_digits=True), ("", "1", "1")),
        (None, pre_tokenizers.CharDelimiterSplit("a"), ("a", "", "")),
        (None, pre_tokenizers.Punctuation("removed"), ("._", "", "")),
        (None, pre_tokenizers.Punctuation("merged_with_previous"), ("", "", "")),
        (None, pre_tokenizers.Punctuation("merged_with_next"), ("", "", "._")),
        (None, pre_tokenizers.Metaspace(), (" ", "", "\u2581")),
        (None, pre_tokenizers.Metaspace(split=False), (" ", "", "")),
    ],
)
def test_impossible_characters(
    normalizer: Any, pre_tokenizer: Any, wanted: tuple[str, str, str]
) -> None:
    assert impossible(normalizer, pre_tokenizer) == wanted
