"""`pw.extend(new_characters=...)`: characters that a vocabulary lacks become entries first."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers
from piecework.errors import ConfigError, PieceworkWarning

LATIN = ["low lower lowest newer newest wider"] * 3
GREEK = ["καλή μέρα κόσμε", "μέρα καλή low"] * 5
MISSING = len({*"".join(GREEK)} - {*"low "})


def fallback() -> pw.Tokenizer:
    """Returns a BPE model of SentencePiece's kind, whose unknown characters are bytes."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *"low"]
    return pw.Tokenizer(
        models.BPE(pieces, [], unk_token="<unk>", byte_fallback=True),
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    )


def tokenizer(name: str) -> pw.Tokenizer:
    split: Any = {"pre_tokenizer": pre_tokenizers.WhitespaceSplit(), "normalizer": None}
    trainers: dict[str, Any] = {
        "WordPiece": pw.WordPieceTrainer(40),
        "BPE": pw.BpeTrainer(24),
        "BPE with a suffix": pw.BpeTrainer(30, end_of_word_suffix="</w>"),
        "BPE of bytes": pw.BpeTrainer(270, alphabet="byte"),
        "Unigram": pw.UnigramTrainer(20),
    }
    if name == "BPE with byte fallback":
        return fallback()
    return pw.train(
        LATIN, trainers[name], **(split if "suffix" in name or name == "WordPiece" else {})
    )


NAMES = [
    "WordPiece",
    "BPE",
    "BPE with a suffix",
    "BPE of bytes",
    "BPE with byte fallback",
    "Unigram",
]


@pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_new_script_is_encoded_by_its_characters(name: str) -> None:
    peer = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    tok = tokenizer(name)
    change = pw.extend(tok, GREEK, new_tokens=120, new_characters="all")
    made = change.tokenizer
    assert made.vocab == tok.vocab | {token: len(tok) + at for at, token in enumerate(change.added)}
    assert made.unk_token not in {*made.tokenize(GREEK[0])}
    assert not [token for token in made.tokenize(GREEK[0]) if token.startswith("<0x")]
    assert made.count(GREEK[0]) < tok.count(GREEK[0]) or tok.unk_token is not None
    assert made.encode_ids("ol wo") == tok.encode_ids("ol wo")
    assert all(source < len(tok) for row in change.initial_rows.values() for source in row)
    assert all(change.initial_rows.values())
    theirs = peer.Tokenizer.from_str(made.to_str())
    for text in [*GREEK[:2], "λα low"]:
        assert made.encode_ids(text) == theirs.encode(text).ids


@pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")
def test_how_many_characters() -> None:
    tok = tokenizer("BPE")

    def characters(new_characters: Any, new_tokens: int = 60) -> list[str]:
        change = pw.extend(tok, GREEK, new_tokens=new_tokens, new_characters=new_characters)
        assert len(change.added) <= new_tokens
        return [token for token in change.added if len(token) == 1]

    assert len(characters("all")) == len(characters(1.0)) == MISSING
    assert characters(3) == characters("all")[:3]
    counts = pw.WordCounts.from_texts(GREEK, normalizer=None, pre_tokenizer=None)
    by_count = sorted(
        characters("all"), key=lambda c: (-sum(n * w.count(c) for w, n in counts.items()), c)
    )
    assert characters("all") == by_count
    assert len(characters(0.4)) < len(characters(0.9)) < MISSING
    assert characters("all", new_tokens=4) == by_count[:4]


def test_the_warning_names_the_share_of_words() -> None:
    tok = tokenizer("WordPiece")
    with pytest.warns(
        PieceworkWarning, match=r"\d+% of the words were cut .*`new_characters="
    ) as found:
        pw.extend(tok, GREEK, new_tokens=60)
    assert len(found) == 1
    with pytest.warns(PieceworkWarning, match="lower `min_frequency`"):
        pw.extend(tok, LATIN, new_tokens=60)


def test_characters_that_are_known_change_nothing() -> None:
    tok = tokenizer("BPE")
    with warnings.catch_warnings(action="ignore"):
        plain = pw.extend(tok, LATIN, new_tokens=3)
        assert pw.extend(tok, LATIN, new_tokens=3, new_characters="all").added == plain.added


def test_arguments() -> None:
    tok = tokenizer("BPE")
    for value in (0, -1, 0.0, 1.5, "some", True):
        with pytest.raises(ConfigError, match="new_characters: expected an integer from 1"):
            pw.extend(tok, GREEK, new_tokens=9, new_characters=value)
    with pytest.raises(ConfigError, match="new_characters: has no effect with `words`"):
        pw.extend(tok, words=["low"], new_characters="all")


def test_models_of_bytes_and_without_unknown_token() -> None:
    letters = [("<unk>", 0.0), *((letter, -5.0) for letter in "ab")]
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok = pw.Tokenizer(models.Unigram(letters, 0), pre_tokenizer=split)
    made = pw.extend(tok, ["é ab é"] * 5, new_tokens=2, new_characters="all")
    assert {*made.added} <= {"Ã", "©", "Ġ"}
    bpe = pw.train({"hug": 5, "pug": 3}, pw.BpeTrainer(12)).replace(pre_tokenizer=split)
    with warnings.catch_warnings(action="ignore"):
        assert "Ã¼" not in pw.extend(bpe, ["ü hug ü"] * 5, new_tokens=3, new_characters="all").added
        plain = pw.Tokenizer(
            models.BPE([*"ab"], []), pre_tokenizer=pre_tokenizers.WhitespaceSplit()
        )
        change = pw.extend(plain, ["abz ab"] * 3, new_tokens=4, new_characters=np.int64(1))
    assert change.initial_rows[2] == ()
    assert np.isfinite(change.apply(np.ones((2, 3), np.float32))).all()
