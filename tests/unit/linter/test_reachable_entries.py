"""Entries that no text produces, compared with the encodings of all short texts and of the corpora."""

import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import piecework as pw
from paths import unpacked
from piecework import models, normalizers, pre_tokenizers
from profiles import examples

ALPHABET = "abA. 中é1"
SHORT = ["".join(cs) for length in range(5) for cs in product(ALPHABET, repeat=length)]
"""All texts of up to four of these characters: longer than all entries, with context."""
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]

NORMALIZERS: list[Any] = [
    None,
    normalizers.Lowercase(),
    normalizers.BertNormalizer(),
    normalizers.BertNormalizer(lowercase=False),
    normalizers.BertNormalizer(handle_chinese_chars=False, strip_accents=True),
    normalizers.StripAccents(),
    normalizers.NFD(),
    normalizers.NFKC(),
    normalizers.Replace("a", "b"),
    normalizers.Replace(pw.Regex("a+"), "A"),
    normalizers.Strip(),
    normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]),
    normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace("b", "中A")]),
    normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    normalizers.Precompiled.of("nmt_nfkc_cf"),
]
PRE_TOKENIZERS: list[Any] = [
    None,
    pre_tokenizers.BertPreTokenizer(),
    pre_tokenizers.Whitespace(),
    pre_tokenizers.WhitespaceSplit(),
    pre_tokenizers.Digits(individual_digits=True),
    *map(pre_tokenizers.Punctuation, ("isolated", "removed", "merged_with_previous", "contiguous")),
    pre_tokenizers.CharDelimiterSplit("a"),
    pre_tokenizers.FixedLength(length=2),
    pre_tokenizers.Metaspace(),
    pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
    pre_tokenizers.UnicodeScripts(),
    pre_tokenizers.Split(pw.Regex("[ab]+|."), "isolated"),
    pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
    pre_tokenizers.Sequence([pre_tokenizers.Punctuation(), pre_tokenizers.Metaspace()]),
    pre_tokenizers.Sequence(
        [pre_tokenizers.Dictionary(["a.", "1 a"]), pre_tokenizers.BertPreTokenizer()]
    ),
]
BYTE_LEVEL: list[Any] = [
    pre_tokenizers.ByteLevel(add_prefix_space=False),
    pre_tokenizers.ByteLevel(add_prefix_space=True),
    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=True),
        ]
    ),
    pre_tokenizers.Sequence(
        [pre_tokenizers.ByteLevel(add_prefix_space=False), pre_tokenizers.Punctuation()]
    ),
    pre_tokenizers.Sequence([pre_tokenizers.ByteLevel(), pre_tokenizers.ByteLevel()]),
]


def entries(draw: random.Random, letters: str, number: int) -> list[str]:
    """Returns different entries of one to three characters."""
    made = ("".join(draw.choices(letters, k=draw.randint(1, 3))) for _ in range(number))
    return list(dict.fromkeys(made))


def word_piece(draw: random.Random, letters: str) -> Any:
    found = ["[UNK]", *entries(draw, letters, 12), *(f"##{e}" for e in entries(draw, letters, 12))]
    settings: dict[str, Any] = {"max_input_chars_per_word": draw.choice([2, 3, 100, None])}
    if draw.random() < 0.3:
        probabilities = {entry: draw.choice([0.01, 0.1, 0.3]) for entry in found}
        settings |= {"segmentation": "likeliest", "probabilities": probabilities}
    return models.WordPiece(
        list(dict.fromkeys([*found, "##", "a##b"])),
        unknown=draw.choice(["word", "char"]),
        **settings,
    )


def bpe(draw: random.Random, letters: str) -> Any:
    characters = [c for c in dict.fromkeys(letters) if draw.random() < 0.9] or ["a"]
    suffix = draw.choice(["", "", "</w>"])
    found = dict.fromkeys([*characters, *(c + suffix for c in characters)])
    merges = []
    for _ in range(12):
        left, right = (draw.choice(list(found)) for _ in range(2))
        if not left.endswith("</w>"):
            found[left + right] = None
            merges.append((left, right))
    vocab = ["<unk>", *found, *(e for e in entries(draw, letters, 4) if e not in found)]
    return models.BPE(
        [*vocab, *BYTES] if (fallback := draw.random() < 0.3) else vocab,
        merges,
        unk_token=draw.choice(["<unk>", None]),
        end_of_word_suffix=suffix,
        byte_fallback=fallback,
        ignore_merges=draw.random() < 0.2,
    )


def unigram(draw: random.Random, letters: str) -> Any:
    found = dict.fromkeys(["<unk>", *letters, *entries(draw, letters + "▁", 15)])
    pieces = [(entry, draw.choice([-1.0, -2.0, -2.5, -4.0, -9.0])) for entry in found]
    precision = draw.choice(["float32", "float64"])
    return models.Unigram(pieces, unk_id=0, precision=precision)


def word_level(draw: random.Random, letters: str) -> Any:
    return models.WordLevel(["<unk>", *entries(draw, letters, 25)], unk_token="<unk>")


MAKERS: dict[str, Callable[[random.Random, str], Any]] = {
    "WordPiece": word_piece,
    "BPE": bpe,
    "Unigram": unigram,
    "WordLevel": word_level,
}


def produced_by_short_texts(tok: pw.Tokenizer) -> set[int]:
    """Returns the ids in the encodings of all short texts."""
    batch = tok.encode_batch(SHORT, add_special_tokens=False, truncation=None, padding=None)
    return set(np.unique(batch.ids).tolist())


def check(tok: pw.Tokenizer) -> None:
    """Compares the findings that are certain with the encodings of all short texts."""
    report = pw.lint(tok, select=["unreachable"])
    flagged = {finding.id: finding for finding in report.findings}
    wrong = [str(flagged[number]) for number in produced_by_short_texts(tok) & set(flagged)]
    assert not wrong, (tok.model, tok.normalizer, tok.pre_tokenizer)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.filterwarnings("ignore:the normalizer changes phrases")
@given(
    seed=st.integers(0, 1 << 30),
    normalizer=st.sampled_from(NORMALIZERS),
    pre_tokenizer=st.sampled_from(PRE_TOKENIZERS),
)
@examples(30)
def test_no_flagged_entry_is_in_a_short_text(
    kind: str, seed: int, normalizer: Any, pre_tokenizer: Any
) -> None:
    model = MAKERS[kind](random.Random(seed), ALPHABET)
    check(pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer))


@pytest.mark.slow
@given(
    seed=st.integers(0, 1 << 30),
    normalizer=st.sampled_from(NORMALIZERS),
    pre_tokenizer=st.sampled_from(BYTE_LEVEL),
)
@examples(8)
def test_no_flagged_entry_of_bytes_is_in_a_short_text(
    seed: int, normalizer: Any, pre_tokenizer: Any
) -> None:
    model = bpe(random.Random(seed), "abAĠ.1Ã©ä¸Ń")
    check(pw.Tokenizer(model, normalizer=normalizer, pre_tokenizer=pre_tokenizer))


@pytest.mark.parametrize("pre_tokenizer", PRE_TOKENIZERS)
@pytest.mark.filterwarnings("ignore:the normalizer changes phrases")
@given(seed=st.integers(0, 1 << 30))
@examples(3)
def test_bytes_that_the_normalizer_writes(seed: int, pre_tokenizer: Any) -> None:
    model = bpe(random.Random(seed), "abAĠ.1Ã©ä¸Ń")
    check(pw.Tokenizer(model, normalizer=normalizers.ByteLevel(), pre_tokenizer=pre_tokenizer))


VOCABULARIES = [
    "all-minilm-l6-v2-tokenizer.json",
    "bert-base-cased-vocab.txt",
    "bert-base-chinese-vocab.txt",
    "cl100k_base.tiktoken",
    "clip-bpe_simple_vocab_16e6.txt.gz",
    "gpt2-vocab.bpe",
    "llama2-tokenizer.model",
    "mistral-tokenizer.model.v3",
    "o200k_base.tiktoken.zst",
    "privately-corp-albert-30k-clean.model",
    "sentencepiece-test_model.model",
    "starcoder-tokenizer.json.zst",
    "t5-spiece.model",
]
CORPORA = [
    "multi/tatoeba-112langs.tsv",
    "en/botchan.txt",
    "zh/cmrc2018-a.txt",
    "nasty/blns.txt",
    "nasty/synthetic-random-unicode.txt",
    "nasty/synthetic-all-codepoints.txt",
]


def loaded(path: Path, folder: Path) -> pw.Tokenizer:
    if path.suffix == ".zst":
        plain = folder / path.stem
        plain.write_bytes(unpacked(path))
        path = plain
    return pw.Tokenizer.from_file(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_flagged_entry_is_in_a_corpus(
    name: str, data: Path, tmp_path: Path, corpus_lines: Callable[[str], Iterator[str]]
) -> None:
    tok = loaded(data / "vocabs" / name, tmp_path)
    report = pw.lint(tok, select=["unreachable", "not-produced", "missing-character"])
    flagged = {finding.id: finding for finding in report.findings if finding.token is not None}
    assert len(flagged) < len(tok) / 2
    for corpus in CORPORA:
        batch = tok.encode_batch(
            list(corpus_lines(corpus)), add_special_tokens=False, truncation=None, padding=None
        )
        wrong = [str(flagged[number]) for number in np.unique(batch.ids) if number in flagged]
        assert not wrong, corpus
