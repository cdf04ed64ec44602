"""Explanations have the ids and offsets of encodings: every model, every pipeline, real vocabularies on hostile texts."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import impls
import model_families
import piecework as pw
import strategies
from paths import unpacked
from piecework.tokenizer._explain.explanation import Explanation, Word
from piecework.tokenizer._explain.steps import BpeSteps, SegmentationLattice, WordPieceSteps
from profiles import examples, scaled

CORE = impls.Core()
QWEN = pw.patterns.SPLIT_PATTERNS["qwen2"]


def explained(tok: pw.Tokenizer, text: str, specials: Any = None) -> Explanation:
    """Explains a text, and checks the explanation against the encoding and itself."""
    found = tok.explain(text, specials=specials, max_characters=None)
    bare = tok.replace(post_processor=None)  # which may trim offsets
    encoding = bare.encode(
        text,
        specials=specials,
        add_special_tokens=False,
        truncation=None,
        padding=None,
        sampling=None,
    )
    assert found.ids == encoding.ids, ascii(text)
    assert [piece.offsets for piece in found.pieces] == encoding.offsets, ascii(text)
    last = (0, 0)
    for word in found.words:
        start, stop = word.normalized_span
        # Words can share a character, whose bytes a pre-tokenizer separates.
        assert last[0] <= start <= stop <= len(found.normalized.text)
        assert last[1] <= stop
        last = word.normalized_span
        _check_word(found, word)
    return found


def _check_word(found: Explanation, word: Word) -> None:
    for piece in word.pieces:
        assert word.offsets[0] <= piece.offsets[0] <= piece.offsets[1] <= word.offsets[1]
        assert word.normalized_span[0] <= piece.normalized_span[0]
        assert piece.normalized_span[1] <= word.normalized_span[1]
        assert piece.text == found.normalized.text[slice(*piece.normalized_span)]
        assert 0 <= piece.span[0] < piece.span[1] <= len(word.text)
    ids = [piece.id for piece in word.pieces]
    match word.steps:
        case WordPieceSteps(matches=matches):
            if all(piece.kind != "unknown" for piece in word.pieces):
                assert [match.symbol and match.symbol.id for match in matches] == ids
        case BpeSteps() as steps if not steps.replacements:
            *_, last = steps.states()
            assert [symbol.id for symbol in last] == ids
        case SegmentationLattice(edges=()):  # no segmentation covers the word
            assert [piece.kind for piece in word.pieces] == ["unknown"]
        case SegmentationLattice() as lattice:
            position = 0
            for edge in lattice.edges:
                if edge.is_taken:
                    assert edge.span[0] == position
                    position = edge.span[1]
            assert position == len(word.text)
            assert lattice.nbest
        case _:
            pass


@given(strategies.encoders(), strategies.texts, strategies.specials)
@examples(200)
def test_wordpiece(encoder: tuple[list[str], dict[str, Any]], text: str, specials: Any) -> None:
    explained(CORE.encoder(*encoder).tokenizer, text, specials)


@pytest.mark.slow
@pytest.mark.parametrize("models", model_families.entries())
def test_model_families(models: str) -> None:
    tok = model_families.family(models).tokenizer
    draw = random.Random(7)
    for _ in range(scaled(40)):
        parts = draw.choices([*model_families.TEXTS, *strategies.DELICATE, *strategies.PIECES], k=3)
        explained(tok, "".join(part[: draw.randrange(1, 30)] for part in parts))


@given(st.sampled_from([0, 1, 2, 3]), strategies.texts)
@examples(200)
def test_small_models(number: int, text: str) -> None:
    explained(SMALL[number](), text)


def _cached(make: Callable[[], pw.Tokenizer]) -> Callable[[], pw.Tokenizer]:
    found = list[pw.Tokenizer]()

    def get() -> pw.Tokenizer:
        if not found:
            found.append(make())
        return found[0]

    return get


WORDS = {"ab": 5, "abc": 3, "aab#": 2, "é中": 1, "ba": 4}
SMALL = [
    _cached(lambda: pw.train(WORDS, pw.BpeTrainer(30, end_of_word_suffix="</w>"))),
    _cached(
        lambda: pw.train(
            list(WORDS) * 3,
            pw.BpeTrainer(270, alphabet="byte", unk_token=None),
            pre_tokenizer=pw.pre_tokenizers.ByteLevel(),
        )
    ),
    _cached(lambda: pw.train({f"▁{w}": n for w, n in WORDS.items()}, pw.UnigramTrainer(14))),
    _cached(
        lambda: pw.train(list(WORDS) * 3, pw.WordPieceTrainer(30)).replace(segmentation="likeliest")
    ),
]


# Real vocabularies


def _file(path: Path, folder: Path) -> pw.Tokenizer:
    plain = folder / path.name.removesuffix(".zst")
    plain.write_bytes(unpacked(path) if path.suffix == ".zst" else path.read_bytes())
    return pw.Tokenizer.from_file(plain)


def _qwen(path: Path, folder: Path) -> pw.Tokenizer:
    plain = folder / "qwen.tiktoken"
    plain.write_bytes(unpacked(path))
    return pw.Tokenizer.from_tiktoken(plain, pattern=pw.Regex(QWEN))


def _gpt2(path: Path, folder: Path) -> pw.Tokenizer:
    shutil.copy(path, folder / "encoder.json")
    shutil.copy(path.with_name("gpt2-vocab.bpe"), folder / "vocab.bpe")
    return pw.Tokenizer.from_file(folder / "encoder.json")


VOCABULARIES: dict[str, Callable[[Path, Path], pw.Tokenizer]] = {
    "all-minilm-l6-v2-tokenizer.json": _file,
    "bert-base-cased-vocab.txt": _file,
    "bert-base-chinese-vocab.txt": _file,
    "bert-base-uncased-vocab.txt": _file,
    "cl100k_base.tiktoken": _file,
    "clip-bpe_simple_vocab_16e6.txt.gz": _file,
    "deepseek-tokenizer.json.zst": _file,
    "gpt2-encoder.json": _gpt2,
    "llama2-tokenizer.model": _file,
    "llama3-tokenizer.json.zst": _file,
    "mistral-tokenizer.model.v3": _file,
    "o200k_base.tiktoken.zst": _file,
    "privately-corp-albert-30k-clean.model": _file,
    "qwen.tiktoken.zst": _qwen,
    "sentencepiece-test_model.model": _file,
    "starcoder-tokenizer.json.zst": _file,
    "subword-nmt-bpe.ref.codes": _file,
    "t5-spiece.model": _file,
}
CORPORA = (
    "nasty/blns.txt",
    "nasty/synthetic-random-unicode.txt",
    "nasty/synthetic-zalgo.txt",
    "nasty/synthetic-all-codepoints.txt",
    "nasty/emoji-test-15.0.txt",
    "nasty/WordBreakTest-15.0.txt",
    "nasty/NormalizationTest-15.0.txt",
    "nasty/synthetic-long-words.txt",
    "multi/tatoeba-112langs.tsv",
)
LINES, LONGEST = 40, 3000
"""The lines of a corpus, and the characters of a line."""


def test_no_vocabulary_is_missing(data: Path) -> None:
    names = {path.name for path in (data / "vocabs").iterdir()} - {"gpt2-vocab.bpe"}
    assert names == set(VOCABULARIES)


@pytest.mark.slow
@pytest.mark.parametrize("name", VOCABULARIES)
def test_real_vocabularies_on_hostile_corpora(
    name: str, data: Path, tmp_path: Path, corpus_lines: Callable[[str], Iterator[str]]
) -> None:
    with warnings.catch_warnings():  # gaps between ids
        warnings.simplefilter("ignore", pw.errors.PieceworkWarning)
        tok = VOCABULARIES[name](data / "vocabs" / name, tmp_path)
    for corpus in CORPORA:
        lines = list(corpus_lines(corpus))
        draw = random.Random(len(lines))
        for line in draw.sample(lines, min(len(lines), scaled(LINES))):
            explained(tok, line[:LONGEST])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t5-spiece.model", "bert-base-uncased-vocab.txt"])
def test_word_of_a_million_characters(name: str, data: Path, tmp_path: Path) -> None:
    tok = VOCABULARIES[name](data / "vocabs" / name, tmp_path)
    for text in ("a" * 10**6, "hugs" * 250_000, "e" + "\u0301" * 10**6):
        found = tok.explain(text)
        listed = len(found.pieces) + sum(word.pieces_left_out for word in found.words)
        assert listed == tok.count(text, add_special_tokens=False)
        assert len(str(found)) < 2_000_000
        assert len(found._repr_html_()) < 2_000_000
