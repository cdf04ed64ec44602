"""The Rényi efficiency against the package tokenization-scorer, whose authors defined it."""

import math
import random

import pytest

import piecework as pw

scorer = pytest.importorskip(
    "tokenization_scorer", reason="the package tokenization-scorer is not installed"
)

WORDS = (
    "the of and a in that it was his with as for had you not be on at by which low lower".split()
)


def texts(seed: int) -> list[str]:
    draw = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    return [" ".join(draw.choices(WORDS, weights, k=12)) for _ in range(60)]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 2.5, 3.0])
@pytest.mark.parametrize("vocab_size", [40, 50, 70])
def test_efficiency_is_that_of_the_package(
    power: float, vocab_size: int, capfd: pytest.CaptureFixture[str]
) -> None:
    learned, held_out = texts(1), texts(2)
    for trainer in (pw.WordPieceTrainer(vocab_size), pw.BpeTrainer(vocab_size)):
        tok = pw.train(learned, trainer)
        split = [" ".join(tok.encode(text, add_special_tokens=False).tokens) for text in held_out]
        # Of the power 1, the package reads the texts twice, which are none the second time.
        metric = "shannon_efficiency" if power == 1 else "renyi_efficiency"
        wanted = scorer.score(split, metric=metric, power=power)
        found = pw.evaluate(tok, held_out, renyi_power=power)["renyi_efficiency"]
        assert isinstance(found, float)
        assert math.isclose(found, wanted, rel_tol=1e-12)
    assert "Vocabulary size" in capfd.readouterr().err  # the package ran


def test_a_large_power_does_not_underflow() -> None:
    words = [f"w{number}" for number in range(1000)]
    tok = pw.Tokenizer.from_str("\n".join(["[UNK]", *words]))
    for power in (2.5, 100, 999):
        found = pw.evaluate(tok, [" ".join(words)], renyi_power=power)["renyi_efficiency"]
        assert found == pytest.approx(1)


def test_one_token_has_no_efficiency() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\nlow\n")
    assert pw.evaluate(tok, ["low low"])["renyi_efficiency"] is None
