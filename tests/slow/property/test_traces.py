"""Traces: winners, runners-up, scores, counts, ties and words equal a recount of the whole table at each step."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import piecework as pw
import strategies
from piecework.reference.learn.bpe_train import BpeTraining
from piecework.reference.learn.criteria import history_score
from piecework.reference.learn.merging import Candidate, MergeTraining
from piecework.reference.learn.pairs import count_symbols, join_pair
from piecework.reference.learn.settings import BpeTrainer, UnigramTrainer, WordPieceTrainer
from piecework.reference.learn.unigram_train import UnigramTraining
from piecework.reference.learn.wordpiece_train import PRUNING_ROUNDS, WordPieceTraining
from piecework.reference.numbers.floats import UNIT
from piecework.training._tracing.merges import MergeTrace
from piecework.training._tracing.steps import TracedWord
from profiles import examples

pytestmark = pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")

Row = tuple[Any, ...]
Words = Mapping[str, int]


def ranked(training: MergeTraining) -> list[tuple[int, Candidate]]:
    """Returns all candidates with their ranks, by score and then by the tie rule."""
    found = sorted(training.candidates(), key=lambda each: training._tie_key(each.pair))
    found.sort(key=lambda each: each.value, reverse=True)  # stable, also in reverse
    rows: list[tuple[int, Candidate]] = []
    for place, each in enumerate(found, 1):
        is_tied = bool(rows) and rows[-1][1].value == each.value
        rows.append((rows[-1][0] if is_tied else place, each))
    return rows


def candidate_rows(training: MergeTraining) -> list[Row]:
    """Returns what a trace records of all candidates."""
    counts = training.count()
    adjacent = count_symbols(training.runs, count_merges=False).pairs
    merges = count_symbols(training.runs, count_merges=True).pairs
    rows: list[Row] = []
    for rank, (pair, value) in ranked(training):
        n, (a, b) = counts.pairs[pair], (counts.symbols[symbol] for symbol in pair)
        score = history_score(training.trainer.criterion_function, value, n, a, b)
        names = (*map(training._render, pair), training._render(join_pair(pair)))
        rows.append((*names, rank, score, n, a, b, adjacent[pair], merges[pair], counts.total))
    return rows


def traced_rows(candidates: tuple[Any, ...]) -> list[Row]:
    return [tuple(getattr(c, name) for name in c.__dataclass_fields__) for c in candidates]


def states(training: MergeTraining, prunes: bool) -> Iterator[None]:
    """Performs a training; yields before each merge, and at the end."""
    for _ in range(PRUNING_ROUNDS + 1):
        while True:
            yield
            if training.step() is None:
                break
        if not (prunes and isinstance(training, WordPieceTraining) and training.prune()):
            return


def runs_of(words: tuple[TracedWord, ...]) -> list[tuple[str, ...]]:
    """Returns the runs of tokens between dropped characters."""
    runs: list[tuple[str, ...]] = []
    for word in words:
        run: list[str] = []
        for token in (*word.tokens, None):
            if token is not None:
                run.append(token)
            elif run:
                runs.append(tuple(run))
                run = []
    return runs


def check_trace(trace: MergeTrace, training: MergeTraining, top: int, prunes: bool) -> None:
    least = max(1, training.trainer.min_frequency)
    seen = 0
    for _ in states(training, prunes):
        state = len(training.history)  # a round of pruning begins where the previous one ended
        expected, counts = candidate_rows(training), training.count()
        symbols = {training._render(symbol): n for symbol, n in counts.symbols.items()}
        assert trace.symbols(state) == symbols
        runs = [tuple(map(training._render, run.symbols)) for run in training.runs]
        assert runs_of(trace.words(state)) == runs
        if state == len(trace):
            assert traced_rows(trace.remaining) == expected[:top]
            continue
        step = trace[state]
        seen = state + 1
        assert traced_rows(step.candidates) == expected[:top]
        assert step.ties == sum(row[3] == 1 for row in expected)
        assert step.tied == step.candidates[: step.ties]
        assert (step.number, step.total) == (state + 1, counts.total)
        assert step.pairs == sum(n >= least for n in counts.pairs.values())
    assert seen == len(trace) == len(training.history)


def check_merges(words: Words, core: Any, training: Any, trainer: dict[str, Any], top: int) -> None:
    """Compares a trace with a training by recounting; both fail or none."""
    settings: dict[str, Any] = {"normalizer": None, "pre_tokenizer": None}
    try:
        own = training()
    except (ValueError, OverflowError):
        with pytest.raises((ValueError, OverflowError)):
            pw.trace(words, core(**trainer), top=top, words=None, **settings)
        return
    trace = pw.trace(words, core(**trainer), top=top, words=None, **settings)
    assert isinstance(trace, MergeTrace)
    tokenizer = pw.train(words, core(**trainer), **settings)
    assert trace.tokenizer == tokenizer
    assert tuple(step.merge for step in trace) == tokenizer.training.history
    assert trace.other_words == 0
    check_trace(trace, own, top, prunes=bool(trainer.get("prune_unused")))
    assert [traced_rows((step.merge,))[0] for step in trace] == own.history
    pruned = {token for _, tokens in trace.pruned for token in tokens}
    entries = {*trace.initial_vocab, *(step.merge.token for step in trace)}
    assert entries - pruned == set(tokenizer.vocab)
    assert not pruned.intersection(trace.initial_vocab)


limits = st.integers(1, 4) | st.just(1000)


@given(
    strategies.tables | strategies.tied_tables,
    strategies.trainers() | strategies.tied_trainers,
    limits,
)
@examples(400)
@example({"aaaa": 3, "aaa": 2}, {"vocab_size": 60, "criterion": "sum", "prune_unused": True}, 3)
@example({"aaaaaa": 3, "aab": 2}, {"vocab_size": 60, "criterion": "likelihood"}, 3)
@example({"a##b": 1, "ab": 1}, {"vocab_size": 60, "criterion": "pmi", "ties": "hf"}, 1000)
def test_wordpiece_traces(words: dict[str, int], trainer: dict[str, Any], top: int) -> None:
    check_merges(
        words,
        pw.WordPieceTrainer,
        lambda: WordPieceTraining(words, WordPieceTrainer(**trainer)),
        trainer,
        top,
    )


@given(strategies.tables | strategies.tied_tables, strategies.bpe_trainers(), limits)
@examples(400)
@example({"aaaa": 3, "aaa": 2}, {"ties": "hf", "special_tokens": ["aa"]}, 3)
@example({"a</w>": 1, "a": 1, "ba": 2}, {"end_of_word_suffix": "</w>", "ties": "first"}, 1000)
@example({"a": 0, "aaaba": 1}, {"special_tokens": ["ab"]}, 1000)
def test_bpe_traces(words: dict[str, int], trainer: dict[str, Any], top: int) -> None:
    check_merges(
        words, pw.BpeTrainer, lambda: BpeTraining(words, BpeTrainer(**trainer)), trainer, top
    )


class RecordedUnigram(UnigramTraining):
    """A training that records what a trace records."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows: list[Row] = []

    def _record(self, removed: dict[str, float], kept: dict[str, float]) -> None:
        probable = sorted(self.pieces, key=lambda piece: (-self.pieces[piece], piece.encode()))
        self.rows.append((removed, kept, {piece: self.pieces[piece] for piece in probable}))

    def step(self, *, without_prior: bool = False) -> Any:
        done = super().step(without_prior=without_prior)
        self._record({piece: self._expected[piece] / UNIT for piece in done.dropped}, {})
        return done

    def prune(self, size: int) -> Any:
        losses = self._losses()
        done = super().prune(size)
        ranked_pieces = sorted(losses, key=lambda piece: (-losses[piece], piece.encode()))[::-1]
        ranked_losses = {piece: losses[piece] for piece in ranked_pieces}
        removed = {piece: ranked_losses.pop(piece) for piece in done.removed}
        self._record(removed, ranked_losses)
        return done


@given(strategies.unigram_tables, strategies.unigram_trainers(), limits)
@examples(300)
def test_unigram_traces(words: dict[str, int], trainer: dict[str, Any], top: int) -> None:
    settings: dict[str, Any] = {"normalizer": None, "pre_tokenizer": None, "threads": 1}
    try:
        own = RecordedUnigram(words, UnigramTrainer(**trainer))
        own.finish()
    except (ValueError, OverflowError):
        with pytest.raises((ValueError, OverflowError)):
            pw.trace(words, pw.UnigramTrainer(**trainer), top=top, **settings)
        return
    trace = pw.trace(words, pw.UnigramTrainer(**trainer), top=top, **settings)
    tokenizer = pw.train(words, pw.UnigramTrainer(**trainer), **settings)
    assert trace.tokenizer == tokenizer
    assert len(trace) == len(own.rows) == len(tokenizer.training.steps)
    for step, row, known in zip(trace, own.rows, tokenizer.training.steps, strict=True):
        assert (step.pieces, step.log_likelihood) == (known.pieces, known.log_likelihood)
        assert step.removed_number == len(known.removed or ())
        assert step.kind == ("pruning" if known.log_likelihood is None else "em")
        found = (step.removed, step.kept, step.most_probable)
        for pieces, expected in zip(found, row, strict=True):
            assert list(pieces) == list(expected.items())[:top]
