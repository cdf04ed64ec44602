"""Random tokenizers, extended and pruned, beside `tokenizers` and SentencePiece; lint beside exhaustive encoding.

Each trial has a number, from which everything is drawn. PIECEWORK_SEED is the first one and PIECEWORK_TRIALS how many there
are (`make random SEED=1 TRIALS=20000`).
"""

import itertools
import os
import random
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers

import piecework as pw
from piecework import normalizers, pre_tokenizers
from piecework.errors import PieceworkError
from profiles import scaled

FIRST = int(os.environ.get("PIECEWORK_SEED") or 0)
TRIALS = int(os.environ.get("PIECEWORK_TRIALS") or scaled(400))
PARTS = 8
ALPHABET = "abc"
SHORT = [
    "".join(word) for length in range(1, 9) for word in itertools.product(ALPHABET, repeat=length)
]
ADDED = ["<x>", "ca", "<s>", "b a"]

pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")


def numbers(part: int) -> range:
    """Returns the numbers of the trials of a part."""
    return range(FIRST + part, FIRST + TRIALS, PARTS)


def random_words(draw: random.Random, letters: str = ALPHABET) -> dict[str, int]:
    return {
        "".join(draw.choices(letters, k=draw.randrange(1, 8))): draw.randrange(1, 9)
        for _ in range(draw.randrange(3, 14))
    }


def texts_of(draw: random.Random, count: int = 12) -> list[str]:
    """Returns texts of words, of a character that no vocabulary has, and of added tokens."""
    parts = [*ALPHABET, *ALPHABET, " ", "é", "β", "γδ", *ADDED]
    return ["".join(draw.choices(parts, k=draw.randrange(12))) for _ in range(count)]


def trained(draw: random.Random) -> pw.Tokenizer:
    """Returns a tokenizer of random words, some with added tokens."""
    trainers: list[Any] = [
        pw.WordPieceTrainer(100, max_merges=draw.randrange(8), special_tokens=["[UNK]"]),
        pw.BpeTrainer(100, max_merges=draw.randrange(8), special_tokens=["<unk>"]),
        pw.BpeTrainer(400, max_merges=draw.randrange(8), alphabet="byte"),
        pw.UnigramTrainer(draw.randrange(7, 12), byte_fallback=False),
    ]
    texts = [" ".join([word] * count) for word, count in random_words(draw).items()] + [ALPHABET]
    stages: dict[str, Any] = {}
    trainer = draw.choice(trainers)
    if draw.random() < 0.5 and not isinstance(trainer, pw.UnigramTrainer):
        stages["normalizer"] = draw.choice([None, normalizers.Lowercase()])
    if draw.random() < 0.3 and isinstance(trainer, pw.WordPieceTrainer):
        stages["pre_tokenizer"] = pre_tokenizers.WhitespaceSplit()
    try:
        tok = pw.train(texts, trainer, **stages)
    except PieceworkError:  # a size that these words do not allow
        return trained(draw)
    if draw.random() < 0.6:
        flags = ["special", "single_word", "normalized"]
        tok = tok.with_added_tokens(
            pw.AddedToken(name, **{flag: draw.random() < 0.3 for flag in flags})
            for name in draw.sample(ADDED, draw.randrange(1, 3))
        )
    return tok


def plain_ids(tok: pw.Tokenizer, text: str) -> list[int] | None:
    """Returns the ids without special tokens around them; None for a text that the model cannot encode."""
    try:
        return tok.encode(text, add_special_tokens=False).ids
    except PieceworkError:
        return None


def check_peer(tok: pw.Tokenizer, texts: list[str]) -> bool:
    """Compares a saved tokenizer with `tokenizers`; returns false if it is none that this library reads."""
    try:
        text = tok.to_str()
    except PieceworkError as error:
        assert "would give it" in str(error)  # noqa: PT017
        return False
    again = pw.Tokenizer.from_str(text)
    theirs = None if '"piecework.' in text else tokenizers.Tokenizer.from_str(text)
    for some in texts:
        if (wanted := plain_ids(tok, some)) is None:
            continue
        assert plain_ids(again, some) == wanted
        if theirs:
            assert theirs.encode(some, add_special_tokens=False).ids == wanted, some
    return theirs is not None


def changed(draw: random.Random, tok: pw.Tokenizer) -> pw.VocabularyChange | None:
    words = [word for word in random_words(draw) if plain_ids(tok, word)]
    try:
        if draw.random() < 0.3:
            return pw.extend(tok, words=words[:4])
        corpus = [" ".join([word] * draw.randrange(2, 6)) for word in words]
        if draw.random() < 0.4:
            corpus += ["".join(draw.choices("aβγδ", k=draw.randrange(1, 6)))] * 3
            share = draw.choice(["all", 1, 2, 0.5, 1.0])
            return pw.extend(tok, corpus, new_tokens=draw.randrange(1, 12), new_characters=share)
        return pw.extend(tok, corpus, new_tokens=draw.randrange(1, 6))
    except PieceworkError as error:
        expected = (
            "expected more",
            "no word",
            "no words",
            "cannot become one token",
            "empty",
            "is 2 words",
            "is 0 words",
        )
        assert any(part in str(error) for part in expected), error  # noqa: PT017
        return None


@pytest.mark.parametrize("part", range(PARTS))
def test_extensions_keep_what_they_do_not_add(part: int) -> None:
    read = 0
    for number in numbers(part):
        draw = random.Random(number)
        tok = trained(draw)
        change = changed(draw, tok)
        if change is None:
            continue
        made, texts = change.tokenizer, texts_of(draw)
        first = len(tok) if tok.max_id is None else tok.max_id + 1
        new = {token: first + place for place, token in enumerate(change.added)}
        assert made.vocab == tok.vocab | new, number
        for text in texts:
            before, after = plain_ids(tok, text), plain_ids(made, text)
            if (
                tok.model_type != "WordPiece"
                and after is not None
                and not {*new.values()}.intersection(after)
            ):
                assert before == after, (number, text)
        read += check_peer(made, texts)
    assert read > len(numbers(part)) / 3


@pytest.mark.parametrize("part", range(PARTS))
def test_pruning_keeps_texts_of_kept_tokens(part: int) -> None:
    for number in numbers(part):
        draw = random.Random(number)
        tok, texts = trained(draw), texts_of(draw)
        try:
            change = pw.prune(tok, texts, min_count=draw.randrange(1, 4), force=True)
        except PieceworkError as error:
            assert re.search("no token|without|empty", str(error)), error  # noqa: PT017
            continue
        made = change.tokenizer
        for text in texts:
            ids = plain_ids(tok, text)
            if ids is not None and (change.id_map[ids] >= 0).all():
                assert plain_ids(made, text) == change.id_map[ids].tolist(), (number, text)
        check_peer(made, texts)


@pytest.mark.parametrize("part", range(PARTS))
def test_extended_models_equal_sentencepiece(part: int, tmp_path: Path) -> None:
    for number in list(numbers(part))[::4]:
        draw = random.Random(number)
        texts = [" ".join([word] * count) for word, count in random_words(draw).items()] + [
            ALPHABET
        ]
        with warnings.catch_warnings(action="ignore"):
            try:
                tok = pw.train(texts, pw.UnigramTrainer(draw.randrange(8, 12)))
                tok.save(tmp_path / "old.model", approximate=True)
            except PieceworkError:
                continue
        old = pw.Tokenizer.from_file(tmp_path / "old.model")
        change = changed(draw, old)
        if change is None:
            continue
        change.tokenizer.save(tmp_path / "new.model")
        peer = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "new.model"))
        for text in texts_of(draw):
            assert plain_ids(change.tokenizer, text) == peer.encode(text), (number, text)


@pytest.mark.parametrize("part", range(PARTS))
def test_lint_equals_exhaustive_encoding(part: int) -> None:
    for number in list(numbers(part))[::8]:
        draw = random.Random(number)
        letters = [*ALPHABET, *(f"##{letter}" for letter in ALPHABET)]
        entries = ["".join(draw.choices(ALPHABET, k=draw.randrange(2, 5))) for _ in range(6)]
        if draw.random() < 0.5:
            tok = pw.Tokenizer.from_str(
                "\n".join(
                    dict.fromkeys(
                        ["[UNK]", *letters, *entries, *(f"##{entry}" for entry in entries)]
                    )
                )
            )
        else:
            pairs = [(entry[:-1], entry[-1]) for entry in entries]
            vocab = dict.fromkeys([*ALPHABET, *entries, *(left for left, _ in pairs)])
            model = pw.models.BPE(
                list(vocab), [pair for pair in dict.fromkeys(pairs) if pair[0] in vocab]
            )
            tok = pw.Tokenizer(model, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
        report = pw.lint(tok, select=["unreachable", "not-produced"])
        named = {finding.token for finding in report.findings}
        produced = {*map(tok.id_to_token, np.unique(tok.encode_batch(SHORT).ids).tolist())}
        proven = {finding.token for finding in report.findings if finding.rule == "unreachable"}
        assert not proven & produced, number
        missing = {*tok.vocab} - produced - {tok.unk_token, *ALPHABET, *letters}
        assert missing <= named, (number, missing - named)
