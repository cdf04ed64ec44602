"""`reference.mini` gives the vocabularies and ids of the full reference, and stays short."""

import ast
import random
import runpy
import string
import sys
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from piecework.reference import (
    BpeTrainer,
    UnigramTrainer,
    WordPieceTrainer,
    train,
    train_bpe,
    train_unigram,
)
from piecework.reference.learn.cut import cut_words
from piecework.reference.mini import bpe, unigram, wordpiece
from piecework.reference.model.bpe import BpeEncoder, BpeSettings, ListedMerges
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.reference.model.wordpiece import LongestMatchEncoder

FILES = {module.__name__.rpartition(".")[2]: module for module in (bpe, wordpiece, unigram)}
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
WORDS = st.text("abcé#", min_size=1, max_size=8)
COUNTS = st.dictionaries(WORDS, st.integers(1, 20), min_size=1, max_size=8)
TEXTS = st.lists(st.text("abcéx#", min_size=1, max_size=10), max_size=6).map(" ".join)


# The promise of the head of `mini`


@pytest.mark.parametrize("name", FILES)
def test_file_is_short_and_imports_the_standard_library_alone(name: str) -> None:
    text = Path(str(FILES[name].__file__)).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    assert imported
    assert {str(node.module).partition(".")[0] for node in imported} <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.Import) for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bpe", "p u          occurs 17 times: h u g</w> | pu g</w> | pu n</w> | b u n</w> |"),
        ("wordpiece", "hugs bugs bum -> hugs b ##u ##gs [UNK] -> [10, 6, 2, 8, 0]\n"),
        ("unigram", "bugs -> ['▁', 'b', 'u', 'g', 's'] -> [6, 8, 5, 9, 3] -> bugs\n"),
    ],
)
def test_file_prints_its_steps(name: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FILES[name].__file__), run_name="__main__")
    assert shown in capsys.readouterr().out


# Byte-pair encoding


@example({"<unk>s": 5, "b": 1}, 12, "<unk> <unk>s")
@given(COUNTS, st.integers(0, 12), TEXTS)
def test_bpe_equals_the_reference(counts: dict[str, int], merges: int, text: str) -> None:
    words = cut_words(counts, ["<unk>"])  # `mini` has no tokens to cut at
    least = len(bpe.train(words, 0)[0])
    options = BpeTrainer(vocab_size=least + merges, ties="first", end_of_word_suffix="</w>")
    wanted = train_bpe(counts, options)
    vocabulary, learned = bpe.train(words, least + merges)
    assert vocabulary == wanted.vocabulary
    assert learned == [(merge.left, merge.right) for merge in wanted.history]

    settings = BpeSettings(unk_token="<unk>", end_of_word_suffix="</w>")
    encoder = BpeEncoder(vocabulary, ListedMerges(learned), settings)
    pieces = [str(piece.entry) for word in text.split() for piece in encoder(word)]
    assert bpe.encode(text, vocabulary, learned) == [vocabulary.index(piece) for piece in pieces]


@given(COUNTS, st.integers(0, 12))
def test_bpe_decodes_what_it_encodes(counts: dict[str, int], merges: int) -> None:
    text = " ".join(counts)
    vocabulary, learned = bpe.train(counts, len(bpe.train(counts, 0)[0]) + merges)
    assert bpe.decode(bpe.encode(text, vocabulary, learned), vocabulary) == text


# WordPiece


@example({"[UNK]s": 5, "b": 1}, 12, "[UNK] [UNK]s")
@given(COUNTS, st.integers(0, 12), TEXTS)
def test_wordpiece_equals_the_reference(counts: dict[str, int], merges: int, text: str) -> None:
    words = cut_words(counts, ["[UNK]"])  # `mini` has no tokens to cut at
    least = len(wordpiece.train(words, 0))
    size = least + merges
    options = WordPieceTrainer(size, criterion="pmi", ties="first", special_tokens=["[UNK]"])
    vocabulary = wordpiece.train(words, size)
    assert vocabulary == train(counts, options).vocabulary

    encoder = LongestMatchEncoder(set(vocabulary))
    pieces = [piece.entry or "[UNK]" for word in text.split() for piece in encoder(word)]
    assert wordpiece.encode(text, vocabulary) == [vocabulary.index(entry) for entry in pieces]


@given(st.dictionaries(st.text("abc", min_size=1, max_size=8), st.just(1), min_size=1))
def test_wordpiece_decodes_what_it_encodes(counts: dict[str, int]) -> None:
    text = " ".join(counts)
    vocabulary = wordpiece.train(counts, 20)
    assert wordpiece.decode(wordpiece.encode(text, vocabulary), vocabulary) == text


# Unigram. The tables are fixed: where two losses are equal but for their rounding, the two may keep
# different pieces, and Hypothesis would look for such a table. None of 700 random ones is one; but
# the order of pieces whose scores are equal but for rounding differs in one of a hundred.


def options_of(size: int) -> UnigramTrainer:
    return UnigramTrainer(
        size,
        special_tokens=["<unk>"],
        character_coverage=1,
        max_piece_length=1000,
        split_by_unicode_script=False,
        split_by_number=False,
    )


def random_counts(rng: random.Random) -> dict[str, int]:
    letters = string.ascii_lowercase[: rng.randint(2, 6)]
    words = ("".join(rng.choices(letters, k=rng.randint(1, 8))) for _ in range(rng.randint(1, 20)))
    return {f"▁{word}": rng.randint(1, 30) for word in words}


@pytest.mark.parametrize("seed", range(100))
def test_unigram_equals_the_reference(seed: int) -> None:
    rng = random.Random(seed)
    counts = random_counts(rng)
    letters = {letter for word in counts for letter in word}
    size = rng.randint(len(letters), len(unigram.seed_pieces(counts))) + 1
    wanted = dict(train_unigram(counts, options_of(size)).vocabulary)
    found = unigram.train(counts, size)
    assert found == pytest.approx(wanted, abs=1e-7)
    learned = list(found.values())[1:]
    assert learned == sorted(learned, reverse=True)


@given(st.integers(0, 99), TEXTS)
def test_unigram_encodes_like_the_reference(seed: int, text: str) -> None:
    counts = random_counts(random.Random(seed))
    vocabulary = unigram.train(counts, len({letter for word in counts for letter in word}) + 5)
    encoder = UnigramEncoder(vocabulary, UnigramSettings(unk_token="<unk>"))
    pieces = [piece.entry or "<unk>" for word in text.split() for piece in encoder(f"▁{word}")]
    found = [list(vocabulary)[i] for i in unigram.encode(text, vocabulary)]
    assert one_unknown(found) == one_unknown(pieces)


def one_unknown(tokens: list[str]) -> list[str]:
    """Joins adjacent unknown tokens, as the reference does within a word."""
    return [
        token
        for token, run in groupby(tokens)
        for token in (list(run)[:1] if token == "<unk>" else run)
    ]


def test_unigram_takes_the_longer_last_piece_of_equal_paths() -> None:
    vocabulary = {"<unk>": 0.0, "a": -1.0, "aa": -2.0}
    encoder = UnigramEncoder(vocabulary, UnigramSettings(unk_token="<unk>"))
    assert unigram.tokenize("aaa", vocabulary) == [piece.entry for piece in encoder("aaa")]
    assert unigram.tokenize("aaa", vocabulary) == ["a", "aa"]


@pytest.mark.parametrize("seed", range(10))
def test_unigram_decodes_what_it_encodes(seed: int) -> None:
    counts = random_counts(random.Random(seed))
    text = "".join(counts).replace("▁", " ").strip()
    vocabulary = unigram.train(counts, 40)
    assert unigram.decode(unigram.encode(text, vocabulary), vocabulary) == text
