"""Unigram training against SentencePiece and `tokenizers`: bits per byte, and allowed pieces."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from math import log
from typing import Any

import pytest

import piecework as pw
from live_unigram import NORMAL, read, trained
from piecework import models
from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import DIGITS, is_allowed
from piecework.reference.learn.unigram_train import train_unigram
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

Scores = dict[str, float]
Lines = Callable[[str], Iterator[str]]
SIZE, LEARNED, HELD_OUT = 1000, 3000, 500


def words_of(lines: list[str]) -> Counter[str]:
    return Counter(f"▁{word}" for line in lines for word in line.split())


def bits_per_byte(scores: Scores, words: Counter[str]) -> float:
    """Returns the bits per byte of words, summed over all segmentations."""
    encode = UnigramEncoder(scores, UnigramSettings())
    bits = sum(-n * encode.marginal_log_likelihood(word) / log(2) for word, n in words.items())
    return bits / sum(n * len(word[1:].encode() + b" ") for word, n in words.items())


def by_sentencepiece(lines: list[str], size: int = SIZE) -> Scores:
    settings = {"normalization_rule_name": "identity", "character_coverage": 1.0}
    model = read(trained(lines, size, **settings))
    return {piece: score for piece, score, kind in model.pieces if kind == NORMAL}


def by_tokenizers(lines: list[str], size: int = SIZE) -> Scores:
    live = tokenizers.Tokenizer(tokenizers.models.Unigram())
    live.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    live.train_from_iterator([" ".join(line.split()) for line in lines if line.split()], trainer)
    vocab = json.loads(live.to_str())["model"]["vocab"]
    return {piece: score for piece, score in vocab if piece != "<unk>"}


def by_us(lines: list[str]) -> Scores:
    trainer = UnigramTrainer(SIZE, character_coverage=1.0)
    vocabulary = train_unigram(words_of(lines), trainer).vocabulary
    return dict(vocabulary[len(trainer.reserved) :])


def by_the_core(lines: list[str], size: int) -> Scores:
    trainer = pw.UnigramTrainer(size, character_coverage=1.0)
    model = pw.train([" ".join(line.split()) for line in lines], trainer).model
    assert isinstance(model, models.Unigram)
    return dict(model.vocab[len(trainer.special_tokens) :])


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("en/inaugural.txt", 2000),
        ("en/tinyshakespeare.txt", 1500),
        ("multi/ko-docs.txt", 2500),
        # The other trainers take most of a minute on these.
        *(
            pytest.param(name, size, marks=pytest.mark.parity)
            for name, size in (
                ("multi/de-docs.txt", 3000),
                ("multi/tr-docs.txt", 3000),
                ("multi/ru-docs.txt", 2000),
                ("multi/ja-docs.txt", 4000),
                ("zh/cmrc2018-a.txt", 5000),
            )
        ),
    ],
)
def test_core_needs_no_more_bits_than_others(name: str, size: int, corpus_lines: Lines) -> None:
    lines = list(itertools.islice(corpus_lines(name), 8000))
    held_out = words_of(lines[::10])
    learned = [line for place, line in enumerate(lines) if place % 10]
    known = set("".join(words_of(learned)))
    held_out = Counter({word: n for word, n in held_out.items() if set(word) <= known})
    assert len(held_out) > 200
    needed = bits_per_byte(by_the_core(learned, size), held_out)
    for theirs in (by_sentencepiece(learned, size), by_tokenizers(learned, size)):
        assert needed <= bits_per_byte(theirs, held_out)


@pytest.mark.parity
def test_held_out_text_needs_no_more_bits_than_with_others(corpus_lines: Lines) -> None:
    lines = list(itertools.islice(corpus_lines("en/botchan.txt"), LEARNED + HELD_OUT))
    learned, held_out = lines[:LEARNED], words_of(lines[LEARNED:])
    known = set("".join(words_of(learned)))
    held_out = Counter({word: n for word, n in held_out.items() if set(word) <= known})
    assert len(held_out) > 500
    ours = by_us(learned)
    for theirs in (by_sentencepiece(learned), by_tokenizers(learned)):
        for words in (held_out, words_of(learned)):
            assert bits_per_byte(ours, words) < bits_per_byte(theirs, words)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"split_by_unicode_script": False},
        {"split_by_number": False},
        {"split_digits": True},
        {"split_by_whitespace": False},
        {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
        {"treat_whitespace_as_suffix": True},
        {"treat_whitespace_as_suffix": True, "split_by_whitespace": False},
    ],
    ids=lambda settings: ",".join(settings) or "plain",
)
def test_pieces_learned_by_sentencepiece_are_allowed(
    settings: dict[str, Any], corpus_lines: Lines
) -> None:
    corpora = ["multi/ja-docs.txt", "code/go-std.txt", "multi/ar-docs.txt"]
    lines = [line for name in corpora for line in itertools.islice(corpus_lines(name), 400)]
    model = read(trained(lines, 2000, normalization_rule_name="identity", **settings))
    ours = {name: value for name, value in settings.items() if name != "remove_extra_whitespaces"}
    trainer = UnigramTrainer(2000, **ours)
    learned = [p for p, _, kind in model.pieces if kind == NORMAL and len(p) > 1]
    assert len(learned) > 500
    others = [piece for piece in learned if not is_allowed(piece, trainer)]
    if not settings.get(
        "split_by_number", True
    ):  # in SentencePiece, a digit separates the scripts next to it
        others = [piece for piece in others if DIGITS.isdisjoint(piece)]
    assert others == []
