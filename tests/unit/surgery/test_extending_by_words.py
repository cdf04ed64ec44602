"""`pw.extend(words=...)`: given words as single tokens."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import piecework as pw
from piecework import models, normalizers, pre_tokenizers
from piecework.errors import ConfigError

CORPUS = ["low lower lowest newer newest wider wide"] * 3
WORDS = ["slow", "slower", "widest", "newlow", "er", "ewew", "lowlowlow", "est"]


def trained() -> dict[str, pw.Tokenizer]:
    split = {"normalizer": None, "pre_tokenizer": pre_tokenizers.WhitespaceSplit()}
    suffix: Any = {"end_of_word_suffix": "</w>"}
    byte = pw.train(CORPUS, pw.BpeTrainer(270, alphabet="byte"))
    ranks = models.BPE(list(byte.model.vocab), ranks=range(len(byte.vocab)))  # type: ignore[attr-defined]
    return {
        "WordPiece": pw.train(CORPUS, pw.WordPieceTrainer(40)),
        "BPE": pw.train(CORPUS, pw.BpeTrainer(24)),
        "BPE with a suffix": pw.train(CORPUS, pw.BpeTrainer(30, **suffix), **split),  # type: ignore[arg-type]
        "BPE with a prefix": pw.train(CORPUS, pw.BpeTrainer(30, continuing_subword_prefix="##")),
        "BPE of bytes": byte,
        "BPE by ranks": pw.Tokenizer(ranks, pre_tokenizer=byte.pre_tokenizer, decoder=byte.decoder),
        "BPE with ignore_merges": pw.Tokenizer(
            models.BPE([*"lowernstid", "er"], [("e", "r")], ignore_merges=True),
            pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        ),
        "BPE with dropout": pw.Tokenizer(
            models.BPE([*"lowernstid", "er"], [("e", "r")], dropout=0.5),
            pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        ),
        "Unigram": pw.train(CORPUS, pw.UnigramTrainer(20)),
    }


TRAINED = trained()


def words_for(name: str) -> list[str]:
    """Returns words of characters that the model knows; with a prefix few characters begin and continue words."""
    return ["widest", "lowerest", "newewer"] if "prefix" in name else WORDS


@pytest.mark.parametrize("name", TRAINED)
def test_words_become_single_tokens(name: str) -> None:
    tok = TRAINED[name]
    words = words_for(name)
    change = pw.extend(tok, words=words)
    made = change.tokenizer
    plain = pw.Sampling(dropout=0.0) if name == "BPE with dropout" else None
    for word in words:
        ids = made.encode(word, add_special_tokens=False, sampling=plain).ids
        assert len(ids) == 1, word
        if ids[0] in change.initial_rows:
            assert (
                list(change.initial_rows[ids[0]])
                == tok.encode(word, add_special_tokens=False, sampling=plain).ids
            )
    assert made.vocab == tok.vocab | {token: len(tok) + at for at, token in enumerate(change.added)}
    assert len(change.added) - len(change.intermediate) <= len(words)
    assert {*change.intermediate} <= {*change.added}
    new = {*change.initial_rows}
    draw = random.Random(5)
    for _ in range(300):
        text = "".join(draw.choices("lowernstid ", k=draw.randrange(1, 12)))
        found = made.encode(text, add_special_tokens=False, sampling=plain).ids
        if not new.intersection(found):
            assert found == tok.encode(text, add_special_tokens=False, sampling=plain).ids, text
    again = pw.extend(made, words=words)
    assert (again.added, again.tokenizer.vocab) == ((), made.vocab)


@pytest.mark.parametrize(
    "name", ["BPE", "BPE of bytes", "BPE with a prefix", "Unigram", "WordPiece"]
)
def test_tokenizers_reads_the_result(name: str) -> None:
    peer = pytest.importorskip("tokenizers", reason="the oracle is not installed")
    made = pw.extend(TRAINED[name], words=words_for(name)).tokenizer
    theirs = peer.Tokenizer.from_str(made.to_str())
    for text in [*words_for(name), "slowest lowlow newlower"]:
        assert made.encode_ids(text) == theirs.encode(text).ids


def test_shorter_words_are_parts_of_longer_ones() -> None:
    tok = TRAINED["BPE"]
    change = pw.extend(tok, words=["widest", "est"])
    assert change.added[change.added.index("widest") - 1] != "widest"
    assert "est" in change.added
    assert "est" not in change.intermediate


def test_spaces_and_normalization() -> None:
    byte = TRAINED["BPE of bytes"]
    made = pw.extend(byte, words=[" slow"]).tokenizer
    assert made.tokenize("a slow") == ["a", "Ġslow"]
    lower = pw.extend(TRAINED["WordPiece"], words=["SLOW"])
    assert lower.added == ("slow",)
    llama = TRAINED["Unigram"]
    assert pw.extend(llama, words=["slow"]).added == ("▁slow",)


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("BPE", ["low est"], r"'low est' is 2 words for this tokenizer: 'low', 'est'"),
        ("BPE", [""], "'' is 0 words"),
        ("BPE", ["zz"], "'zz' cannot become one token: the vocabulary lacks characters of it"),
        ("WordPiece", ["a" * 101], "cannot become one token: the tokenizer makes"),
    ],
)
def test_words_that_cannot_be_tokens(name: str, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        pw.extend(TRAINED[name], words=words)


def test_arguments() -> None:
    tok = TRAINED["BPE"]
    with pytest.raises(ConfigError, match="found neither"):
        pw.extend(tok)
    with pytest.raises(ConfigError, match=r"new_tokens: has no effect with `words`"):
        pw.extend(tok, words=["a"], new_tokens=1)
    with pytest.raises(ConfigError, match=r"texts: has no effect with `words`"):
        pw.extend(tok, CORPUS, words=["a"])
    with pytest.raises(TypeError, match="expected an iterable of words"):
        pw.extend(tok, words="low")
    with pytest.raises(ConfigError, match="a WordLevel vocabulary has whole words"):
        pw.extend(pw.Tokenizer(models.WordLevel(["a"])), words=["b"])
    added = tok.replace(normalizer=normalizers.Lowercase()).with_added_tokens(["slow"])
    assert pw.extend(added, words=["LOWEST"]).tokenizer.count("LOWEST") == 1


def test_intermediate_entries_of_a_corpus_are_counted() -> None:
    tok = pw.train({"abcd": 5, "x": 1}, pw.BpeTrainer(6, max_merges=0))
    change = pw.extend(tok, {"abcd": 9, "abx": 2, "ab": 1}, new_tokens=3)
    assert change.added == ("ab", "abc", "abcd")
    assert change.intermediate == ("abc",)


def test_added_tokens_are_no_new_entries() -> None:
    letters = pw.Tokenizer(models.BPE([*"abc"], []), pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    tok = letters.with_added_tokens(["abc"])
    assert pw.extend(tok, words=["abc"]).added == ()
    change = pw.extend(tok, words=["cba"])
    assert change.tokenizer.vocab == tok.vocab | {
        token: 4 + at for at, token in enumerate(change.added)
    }
    with pytest.raises(ConfigError, match="the tokenizer makes 'a' 'abc' of it"):
        pw.extend(tok, words=["aabc"])


def test_words_that_a_unigram_does_not_know() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -2.0)]
    split = pre_tokenizers.WhitespaceSplit()
    tok = pw.Tokenizer(models.Unigram(pieces, 0), pre_tokenizer=split)
    change = pw.extend(tok, words=["zz"])
    assert (change.added, change.tokenizer.encode_ids("zz")) == (("zz",), [3])
    without = pw.Tokenizer(models.Unigram(pieces[1:], None), pre_tokenizer=split)
    change = pw.extend(without, words=["zz"])
    assert change.initial_rows == {2: ()}
    assert change.apply(np.array([[1.0], [3.0]]))[2].tolist() == [2.0]
    positive = pw.Tokenizer(models.Unigram([("a", 1.0), ("b", 2.0)], None), pre_tokenizer=split)
    assert pw.extend(positive, words=["ab"]).tokenizer.tokenize("ab") == ["ab"]
