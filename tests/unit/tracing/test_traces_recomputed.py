"""Traces of random trainings: candidates, counts and losses equal those that are computed anew at each step."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

import piecework as pw
from piecework._settings.choices import Criterion
from piecework.reference.learn import unigram_train as reference
from piecework.reference.learn.criteria import CRITERIA
from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.numbers.floats import UNIT
from piecework.training._tracing.merges import MergeTrace
from piecework.training._tracing.steps import MergeTraceStep, TracedWord
from profiles import examples

WORDS = st.dictionaries(
    st.text("abc", min_size=1, max_size=8), st.integers(1, 9), min_size=1, max_size=8
)
TRAINER = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["likelihood", "pmi", "sum", "frequency"]),
        "ties": st.sampled_from(["lex", "first"]),
        "min_frequency": st.integers(1, 3),
    }
)
AS_GIVEN: dict[str, Any] = {"normalizer": None, "pre_tokenizer": None}


def merged(tokens: tuple[str, ...], left: str, right: str) -> tuple[str, ...]:
    """Returns tokens after a pass from left to right that merges a pair."""
    result = list[str]()
    rest = list(tokens)
    while rest:
        if rest[:2] == [left, right]:
            result.append(left + right.removeprefix("##"))
            del rest[:2]
        else:
            result.append(rest.pop(0))
    return tuple(result)


def check_candidates(
    words: tuple[TracedWord, ...], step: MergeTraceStep, criterion: Criterion, least: int
) -> None:
    """Compares the candidates of a step with those of the words before it."""
    tokens, occurrences, merges = Counter[str](), Counter[Any](), Counter[Any]()
    for word in words:
        known = tuple(token for token in word.tokens if token is not None)
        pairs = list(pairwise(known))
        for counts, found in ((tokens, known), (occurrences, pairs)):
            for each in found:
                counts[each] += word.count
        for pair in set(pairs):
            merges[pair] += (len(known) - len(merged(known, *pair))) * word.count
    total = tokens.total()
    pair_counts = merges if criterion == "likelihood" else occurrences
    scores = {}
    for pair, count in pair_counts.items():
        if count >= least:
            same = {"is_same_symbol": pair[0] == pair[1]} if criterion == "likelihood" else {}
            scores[pair] = CRITERIA[criterion](
                count, tokens[pair[0]], tokens[pair[1]], total, **same
            )
    ranked = sorted(scores.values(), reverse=True)
    assert (step.total, step.pairs, step.ties) == (total, len(scores), ranked.count(ranked[0]))
    assert len({(found.left, found.right) for found in step.candidates}) == len(step.candidates)
    assert [scores[found.left, found.right] for found in step.candidates] == ranked
    for found in step.candidates:
        pair = (found.left, found.right)
        assert found.rank == ranked.index(scores[pair]) + 1
        assert found.pair_count == pair_counts[pair]
        assert (found.occurrences, found.merge_count) == (occurrences[pair], merges[pair])
        assert (found.left_count, found.right_count) == (tokens[found.left], tokens[found.right])
        assert found.score == pytest.approx(float(scores[pair]), rel=1e-12)


@given(words=WORDS, settings=TRAINER)
@examples(100)
def test_merges(words: dict[str, int], settings: dict[str, Any]) -> None:
    trace = pw.trace(words, pw.WordPieceTrainer(30, **settings), top=10_000, words=None, **AS_GIVEN)
    assert isinstance(trace, MergeTrace)
    for step in trace:
        before, after = trace.words(step.number - 1), trace.words(step.number)
        check_candidates(before, step, settings["criterion"], settings["min_frequency"])
        won = step.winner
        assert [word.tokens for word in after] == [
            merged(word.tokens, won.left, won.right)  # type: ignore[arg-type]  # all are known
            for word in before
        ]
        counts = Counter[str]()
        for word in after:
            for token in word.tokens:
                counts[str(token)] += word.count
        assert trace.symbols(step.number) == counts


class Recorded(reference.UnigramTraining):
    """Keeps what each step of the reference removes, and the probabilities after it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows = list[tuple[dict[str, float], dict[str, float]]]()

    def step(self, *, without_prior: bool = False) -> reference.UnigramStep:
        step = super().step(without_prior=without_prior)
        expected = {piece: self._expected[piece] / UNIT for piece in step.dropped}
        self.rows.append((expected, dict(self.pieces)))
        return step

    def prune(self, size: int) -> reference.UnigramPruning:
        losses = self._losses()
        pruning = super().prune(size)
        self.rows.append((losses, dict(self.pieces)))
        return pruning


@given(words=WORDS, size=st.integers(6, 20), em_steps=st.integers(1, 2))
@examples(100)
def test_unigram(words: dict[str, int], size: int, em_steps: int) -> None:
    settings = {"em_steps": em_steps, "min_frequency": 1}
    try:
        expected = Recorded(words, UnigramTrainer(size, **settings))  # type: ignore[arg-type]
    except ValueError:  # the words have fewer pieces
        return
    expected.finish()
    trainer = pw.UnigramTrainer(size, **settings)  # type: ignore[arg-type]
    trace = pw.trace(words, trainer, top=10_000, **AS_GIVEN)
    for step, (values, probabilities) in zip(trace, expected.rows, strict=True):
        assert dict(step.removed + step.kept) == pytest.approx(values, abs=1e-9)
        assert dict(step.most_probable) == pytest.approx(probabilities, abs=1e-12)
