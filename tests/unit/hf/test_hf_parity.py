"""Parity-aware BPE: our trainer and that of `tokenizers`, which defines it, give the same merges."""

import copy
import json
import pickle
import random
from collections import Counter
from typing import Any

import pytest

from hf_peers import OURS, THEIRS
from piecework.hf._parity import ParityLearner

Texts = list[list[str]]
Case = tuple[Texts, Texts | None, list[float] | None, dict[str, Any]]


def texts(rng: random.Random, languages: int, characters: str) -> Texts:
    """Returns lines of each language, some of whose words are those of the first one."""
    words = [
        ["".join(rng.choices(characters, k=rng.randint(1, 7))) for _ in range(12)]
        for _ in range(languages)
    ]
    return [
        [
            " ".join(rng.choice(own if rng.random() < 0.8 else words[0]) for _ in range(5))
            for _ in range(rng.randint(0, 20))
        ]
        for own in words
    ]


def case(seed: int) -> Case:
    """Returns languages, development texts or ratios or neither, and settings."""
    rng = random.Random(seed)
    languages, characters = rng.randint(1, 5), rng.choice(["ab", "abcd", "aéЖ你z"])
    train = texts(rng, languages, characters)
    dev = texts(rng, languages, characters + "w") if seed % 3 == 0 else None
    ratio = [rng.choice([0.3, 1.0, 1.5, 2.57]) for _ in train] if seed % 3 == 1 else None
    settings: dict[str, Any] = {"num_merges": rng.choice([3, 10, 60])}
    options = {
        "min_frequency": [0, 1, 2, 4],
        "global_merges": [1, 4, 12],
        "total_symbols": [True],
        "special_tokens": [["<s>"], ["a", "<s>", "ab"]],
        "initial_alphabet": [["q", "a"]],
        "limit_alphabet": [3],
        "max_token_length": [1, 2, 3, 4],
        "continuing_subword_prefix": ["##"],
        "end_of_word_suffix": ["</w>"],
    }
    for name, values in options.items():
        if rng.random() < 0.25:
            settings[name] = rng.choice(values)
    if rng.random() < 0.4:
        settings |= {"variant": "window", "window_size": rng.choice([1, 2, 4, 20])}
        settings["alpha"] = rng.choice([0.5, 1.0, 1.3, 2.0])
    return train, dev, ratio, settings


def learned(module: Any, of: Case) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Returns the vocabulary and the merges of a training."""
    train, dev, ratio, settings = of
    tok = module.Tokenizer(module.models.BPE())
    tok.pre_tokenizer = module.pre_tokenizers.WhitespaceSplit()
    trainer = module.trainers.ParityBpeTrainer(show_progress=False, **settings)
    trainer.train_from_iterator(tok, list(map(iter, train)), dev and list(map(iter, dev)), ratio)
    model = json.loads(tok.to_str())["model"]
    return model["vocab"], [(left, right) for left, right in model["merges"]]


def returns(of: Case, learner: ParityLearner) -> bool:
    """Returns whether the trainer of `tokenizers` surely ends.

    It may not if no pair is left in a language and turns are limited, or if a language is empty and has a ratio.
    """
    train, _, ratio, settings = of
    is_limited = settings.get("variant") == "window"
    return not (is_limited and learner._finished) and not (ratio is not None and not all(train))


def is_random(of: Case) -> bool:
    """Returns whether the limit of the alphabet divides equally frequent characters, where `tokenizers` draws."""
    train, dev, _, settings = of
    counts = Counter(c for rows in (train, dev or []) for lines in rows for x in lines for c in x)
    del counts[" "]
    most, limit = sorted(counts.values(), reverse=True), settings.get("limit_alphabet", 99)
    return len(most) > limit and most[limit - 1] == most[limit]


@pytest.mark.parametrize("seed", range(100))
def test_merges_are_those_of_tokenizers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of, learners, learn = case(seed), list[ParityLearner](), ParityLearner.learn

    def recorded(learner: ParityLearner) -> None:
        learners.append(learner)
        learn(learner)

    monkeypatch.setattr(ParityLearner, "learn", recorded)
    vocab, merges = learned(OURS, of)
    if is_random(of) or not returns(of, learners[0]):
        pytest.skip("tokenizers draws characters, or may not return")
    wanted, wanted_merges = learned(THEIRS, of)
    assert merges == wanted_merges
    if {"continuing_subword_prefix", "end_of_word_suffix"} & of[3].keys():  # in a random order
        vocab, wanted = dict.fromkeys(vocab, 0), dict.fromkeys(wanted, 0)
    assert vocab == wanted


def test_a_window_ends_where_no_pair_is_left() -> None:
    """Where `tokenizers` does not return, turns of the finished language pass until another is within its limit (B34)."""
    train = [["abcdefgh " * 9], ["uvw uvw"]]
    of: Case = train, None, None, {"variant": "window", "window_size": 4, "alpha": 0.5}
    merges = " ".join(left + right for left, right in learned(OURS, of)[1])
    assert merges == "gh fgh vw uvw efgh defgh cdefgh bcdefgh abcdefgh"


def test_the_alphabet_keeps_the_first_of_equally_frequent_characters() -> None:
    """Where `tokenizers` draws, the characters with lower code points stay (B17)."""
    of: Case = [["ca"], ["ba"]], None, None, {"num_merges": 9, "limit_alphabet": 2}
    assert learned(OURS, of) == ({"a": 0, "b": 1, "ba": 2}, [("b", "a")])


def test_the_tokenizer_after_a_training() -> None:
    for module in (OURS, THEIRS):
        tok = module.Tokenizer(module.models.WordPiece(unk_token="[UNK]"))
        tok.normalizer = module.normalizers.Lowercase()
        tok.pre_tokenizer = module.pre_tokenizers.Whitespace()
        special = ["<s>", module.AddedToken("<m>", lstrip=True)]
        trainer = module.trainers.ParityBpeTrainer(
            num_merges=9, special_tokens=special, show_progress=False
        )
        trainer.train_from_iterator(tok, [["Hug HUG", ["hugs"]], ("pug",)], ratio=[1.0, 2])
        assert type(tok.model).__name__ == "BPE"
        assert tok.model.unk_token is None
        assert tok.encode("Hugs <m><s>").tokens == ["hugs", " <m>", "<s>"]
        assert tok.get_added_tokens_decoder()[1].lstrip


def test_settings_and_state() -> None:
    trainers = [
        m.trainers.ParityBpeTrainer(
            5, "window", ratio=[1, 2], alpha=1.5, special_tokens=["<s>"], initial_alphabet=["y"]
        )
        for m in (OURS, THEIRS)
    ]
    ours, theirs = trainers
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert ours.__getstate__() == theirs.__getstate__()
    for copied in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert copied.__getstate__() == ours.__getstate__()
        assert copied.special_tokens == ours.special_tokens
    for trainer in trainers:
        trainer.num_merges, trainer.alpha, trainer.max_token_length = 7, 3.0, 4
        assert (trainer.num_merges, trainer.alpha, trainer.max_token_length) == (7, 3.0, 4)
        for name in ("variant", "numMerges"):
            with pytest.raises(AttributeError):
                setattr(trainer, name, "base")


WRONG: list[tuple[type[Exception], dict[str, Any], tuple[Any, ...]]] = [
    (ValueError, {"variant": "x"}, ([["a"]],)),
    (TypeError, {"alpha": "x"}, ([["a"]],)),
    (TypeError, {"foo": 1}, ([["a"]],)),
    (OverflowError, {"num_merges": -1}, ([["a"]],)),
    (TypeError, {}, ("ab",)),
    (TypeError, {}, (iter([["a"]]),)),
    (TypeError, {}, ([["a"], 3],)),
    (TypeError, {}, ([[3]],)),
    (ValueError, {}, ([],)),
    (ValueError, {}, ([["a"], ["b"]], [["a"]])),
]
FAILED: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({}, ([["a"], ["b"]], None, [1.0])),
    ({}, ([["a"]], None, [0.0])),
    ({"ratio": [-1.0]}, ([["a"]],)),
    ({"variant": "window", "window_size": 0}, ([["a"]],)),
    ({"variant": "window", "alpha": 0.0}, ([["a"]],)),
]
"""Wrong calls for which `tokenizers` raises RuntimeError, and we ValueError."""


@pytest.mark.parametrize(("kind", "settings", "call"), WRONG, ids=range(len(WRONG)))
def test_wrong_calls_raise_the_same(
    kind: type[Exception], settings: dict[str, Any], call: tuple[Any, ...]
) -> None:
    def run(module: Any) -> None:
        trainer = module.trainers.ParityBpeTrainer(show_progress=False, **settings)
        trainer.train_from_iterator(module.Tokenizer(module.models.BPE()), *call)

    for module in (OURS, THEIRS):
        with pytest.raises(kind):
            run(module)


@pytest.mark.parametrize(("settings", "call"), FAILED, ids=range(len(FAILED)))
def test_settings_that_do_not_fit(settings: dict[str, Any], call: tuple[Any, ...]) -> None:
    for module, kind in ((OURS, ValueError), (THEIRS, RuntimeError)):
        trained = module.trainers.ParityBpeTrainer(show_progress=False, **settings)
        with pytest.raises(kind):
            trained.train_from_iterator(module.Tokenizer(module.models.BPE()), *call)
