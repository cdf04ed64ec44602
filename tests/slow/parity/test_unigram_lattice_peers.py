"""N-best lists and scores of Unigram against SentencePiece."""

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from live_unigram import (
    HARD_TEXTS,
    MODELS,
    NORMAL,
    UNKNOWN,
    as_piecework_json,
    fields,
    model_of,
    processor,
    shared_model,
    trained,
)

Lines = Callable[[str], Iterator[str]]
Found = list[tuple[list[int], float]]

CORPORA = [
    "en/botchan.txt",
    "zh/cmrc2018-a.txt",
    "multi/ja-docs.txt",
    "multi/ja-wagahai.txt",
    "code/go-std.txt",
]
SHORT = 200
TRAINED: dict[str, dict[str, Any]] = {
    "bytes": {"byte_fallback": True},
    "symbols": {"user_defined_symbols": ["<mask>", "ing", "▁the▁"]},
    "spaces": {"add_dummy_prefix": False, "split_by_whitespace": False},
}


def tokenizer(model: bytes) -> pw.Tokenizer:
    """Returns our tokenizer that behaves like SentencePiece."""
    config = as_piecework_json(model)
    own = config["model"]["piecework"]
    own |= {
        "version": 1,
        **{name: own[name] for name in ("user_defined", "reserved")},
    }
    return pw.Tokenizer.from_str(json.dumps(config | {"added_tokens": []}))


def live_nbest(live: Any, text: str, wanted: int) -> Found:
    """Returns the ids and scores of SentencePiece's n-best list."""
    found = []
    for _, segmentation in fields(
        live.nbest_encode(text, nbest_size=wanted, return_type="serialized_proto")
    ):
        parts = list(fields(segmentation))
        ids = [dict(fields(value)).get(2, 0) for number, value in parts if number == 2]
        found.append((ids, next((value for number, value in parts if number == 3), 0.0)))
    return found


def our_nbest(tok: pw.Tokenizer, text: str, wanted: int) -> Found:
    """Returns the ids and scores of our n-best list."""
    return [(encoding.ids, score) for encoding, score in tok.lm.nbest(text, wanted)]


def check_equal_lists(model: bytes, texts: list[str], wanted: int) -> None:
    live, tok = processor(model), tokenizer(model)
    for text in texts:
        ours = our_nbest(tok, text[:SHORT], wanted)
        assert ours == live_nbest(live, text[:SHORT], wanted) or not live.encode(text[:SHORT]), (
            ascii(text)
        )


@pytest.mark.parametrize("wanted", [2, 5, 64])
@pytest.mark.parametrize("name", MODELS)
def test_shared_models_equal_sentencepiece(
    data: Path, name: str, wanted: int, corpus_lines: Lines
) -> None:
    lines = [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), 80)]
    check_equal_lists(shared_model(data, name), [*HARD_TEXTS, *lines], wanted)


@pytest.mark.parametrize("settings", TRAINED.values(), ids=TRAINED)
def test_trained_models_equal_sentencepiece(settings: dict[str, Any], corpus_lines: Lines) -> None:
    lines = [line for line in itertools.islice(corpus_lines("en/botchan.txt"), 800) if line.strip()]
    model = trained(lines[:600], 800, **settings)
    check_equal_lists(model, [*HARD_TEXTS, "the mask<mask>ing the  end", *lines[-60:]], 64)


@pytest.mark.parametrize(("runs", "others"), [(2, 100), (4, 250)], ids=["smaller", "given up"])
def test_search_beyond_the_step_limit_equals_sentencepiece(runs: int, others: int) -> None:
    """Long paths reach the limit of steps: the agenda is reduced, or the search is given up."""
    pieces = [("<unk>", 0.0, UNKNOWN), ("a", -11.2598371, NORMAL), ("x", -7.77, NORMAL)]
    model = model_of([*pieces, ("aa", -22.519674, NORMAL)])
    live, tok = processor(model), tokenizer(model)
    text = ("a" * 17 + "x" * others) * runs
    wanted = live_nbest(live, text, 64)
    assert (len(wanted) == 1) == (runs == 4)
    assert our_nbest(tok, text, 64) == wanted


@pytest.mark.parametrize("seed", range(6))
def test_search_with_full_agenda_equals_sentencepiece(seed: int) -> None:
    """A huge number of paths have equal scores up to rounding."""
    choice = random.Random(seed)
    entries = {"".join(choice.choices("ab", k=choice.randrange(2, 6))) for _ in range(24)}
    pieces = [(entry, -6.3662543 * len(entry), NORMAL) for entry in ["a", "b", *sorted(entries)]]
    model = model_of([("<unk>", 0.0, UNKNOWN), *pieces])
    live, tok = processor(model), tokenizer(model)
    for _ in range(3):
        text = "".join(choice.choices("abé", [9, 9, 1], k=SHORT))
        assert our_nbest(tok, text, 64) == live_nbest(live, text, 64), text


def test_nbest_of_long_texts_equals_sentencepiece() -> None:
    """Steps of long paths are counted: small agendas are kept, larger ones are reduced."""
    choice = random.Random(0)
    for _ in range(10):
        entries = choice.sample(["bb", "c", "cc", "bbb", "ab"], k=3)
        score = choice.choice([lambda n: -1.5 * n, lambda n: -n - choice.random()])
        pieces = [(entry, score(len(entry)), NORMAL) for entry in ["a", "b", *entries]]
        model = model_of([("<unk>", 0.0, UNKNOWN), *pieces])
        ending = "".join(choice.choices("bbbc", k=choice.randrange(2, 30)))
        text = "a" * choice.randrange(100, 9000) + ending
        size = choice.choice([2, 16, 64, 300])
        found = our_nbest(tokenizer(model), text, size)
        assert found == live_nbest(processor(model), text, size), (len(text), ending, size)
