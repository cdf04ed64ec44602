"""Random and broken Unigram models against SentencePiece and `tokenizers`, and self-tests of the comparison."""

import json
import os
import time
from collections import Counter
from typing import Any

import pytest

pytest.importorskip("sentencepiece", reason="the oracle sentencepiece is not installed")
pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")

import piecework as pw
from parity import unigram_hostile, unigrams
from parity.unigram_models import pieces_of_words, written
from paths import data_folder

DATA = data_folder() if data_folder().is_dir() else None
TRIALS = int(os.environ.get("UNIGRAM_TRIALS", "3000"))
pytestmark = pytest.mark.filterwarnings("ignore")


def differences(seed: str, numbers: range) -> list[str]:
    return unigrams.run(seed, numbers, DATA).lines


def faults(seed: str, numbers: range) -> list[str]:
    results: Counter[str] = Counter()
    return [line for n in numbers for line in unigram_hostile.trial(f"{seed}:{n}", results)]


@pytest.mark.parametrize("part", range(4))
def test_random_models_equal_libraries(part: int) -> None:
    assert differences("20261122", range(6 * part, 6 * part + 6)) == []


def test_broken_models_raise_or_equal_sentencepiece() -> None:
    assert faults("20261122", range(25)) == []


@pytest.mark.parity
def test_many_random_models_equal_libraries() -> None:
    assert differences("parity", range(TRIALS)) == []
    assert faults("parity", range(TRIALS // 4)) == []


@pytest.mark.fuzz
def test_new_random_models_equal_libraries() -> None:
    seed = str(time.time_ns())
    assert differences(seed, range(TRIALS)) == []
    assert faults(seed, range(TRIALS // 4)) == []


# Self-tests of the comparison


def with_setting(name: str, value: Any) -> Any:
    """Returns a loader of models with one wrong setting of the model or the normalizer."""

    def load(model: bytes) -> pw.Tokenizer:
        document = json.loads(pw.Tokenizer.from_bytes(model).to_str())
        parts = [document["model"], document["model"].get("piecework") or {}]
        parts += [document["normalizer"] or {}, document["decoder"] or {}]
        for part in parts:
            if name in part:
                part[name] = value
        return pw.Tokenizer.from_str(json.dumps(document))

    return load


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision", "float64"),
        ("user_defined", []),
        ("byte_fallback", False),
        ("precompiled_charsmap", None),
        ("add_dummy_prefix", True),
        ("remove_extra_whitespaces", True),
        ("treat_whitespace_as_suffix", False),
    ],
)
def test_mistake_in_a_setting_is_detected(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unigrams, "loaded", with_setting(name, value))
    assert any(differences("mistake", range(number, number + 1)) for number in range(60))


@pytest.mark.parity
def test_model_as_large_as_xlm_r_equals_libraries() -> None:
    """Its ids need two bytes and more, and most pieces occur in no text."""
    words = [f"{chr(0x4E00 + n % 20000)}{n % 97}{chr(0x61 + n % 26)}" for n in range(250_000)]
    model = written(pieces_of_words(words, 250_000))
    both = unigrams.ModelPair(model)
    assert len(both.read.pieces) > 240_000
    texts = ["".join(words[n : n + 5]) for n in range(0, 250_000, 5000)]
    texts += [" ".join(words[n : n + 5]) for n in range(0, 250_000, 5000)]
    assert [d for text in texts for d in both.check(text)] == []
    assert list(both.check_batch(texts)) == []
