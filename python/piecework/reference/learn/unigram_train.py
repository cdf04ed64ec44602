"""Training Unigram: start with many pieces, estimate probabilities by EM, and prune.

    seeds   u g p n h s b   hug ug pun pu un hugs pug bun
    EM      the expected count of each piece over all segmentations, whose shares are the new
            probabilities
    prune   the pieces whose removal costs the least likelihood: what do the words lose if `pu` is
            split into other pieces?

Source: Kudo 2018. Rules with numbers, such as U16, are those of `spec/unigram.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from piecework.reference.learn.settings import UnigramTrainer
from piecework.reference.learn.unigram_seeds import TrainingCorpus, build_corpus, select_seed_pieces
from piecework.reference.model.lattice import expected_counts, find_edges, forward_sums
from piecework.reference.numbers.floats import UNIT, WideFloat, exp_digamma, ln, to_units

STEPS_WITHOUT_PRIOR = 2
SCORE_DECIMALS, LIKELIHOOD_DIGITS = 13, 15


class UnigramStep(NamedTuple):
    """Records an EM step in the history (U23).

    Args:
        pieces: Number of pieces before the step.
        log_likelihood: Log-likelihood of the words before the step.
        dropped: The dropped pieces, the least expected first.
    """

    pieces: int
    log_likelihood: float
    dropped: tuple[str, ...]


class UnigramPruning(NamedTuple):
    """Records a pruning in the history (U23).

    Args:
        pieces: Number of pieces before the pruning.
        removed: The removed pieces, those of the least loss first.
    """

    pieces: int
    removed: tuple[str, ...]


class TrainedUnigram(NamedTuple):
    """Holds the result of Unigram training.

    Args:
        vocabulary: Entries with their scores, in order of their ids.
        history: The steps and prunings in order.
    """

    vocabulary: list[tuple[str, float]]
    history: list[UnigramStep | UnigramPruning]


@dataclass
class UnigramTraining:
    """Trains Unigram step by step: `step` is one EM step, `prune` removes pieces.

    Source: Kudo 2018 and `spec/unigram.md`. Ties: of equal pieces those of lower UTF-8
    bytes stay. Cost of a step: linear in the occurrences of pieces in words.

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: there is nothing to learn from, or the size is out of reach.
        OverflowError: the number of characters exceeds 64 bits.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> training = UnigramTraining(words, UnigramTrainer(13))
    >>> len(training.pieces), round(training.step().log_likelihood, 3)
    (15, -88.144)
    """

    words: Mapping[str, int]
    trainer: UnigramTrainer
    pieces: dict[str, float] = field(init=False)
    history: list[UnigramStep | UnigramPruning] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._corpus: TrainingCorpus = build_corpus(self.words, self.trainer)
        self._expected: dict[str, int] = {}
        self._fixed: Mapping[str, float] = {}  # pieces of a model that is extended
        self._longest = self.trainer.max_piece_length
        values = select_seed_pieces(self._corpus, self.trainer)
        self._check_size(len(values))
        whole = sum(max(value, 1) for value in values.values())
        self.pieces = {text: float(max(value, 1)) / float(whole) for text, value in values.items()}

    @property
    def size(self) -> int:
        """Returns the final number of pieces (U15)."""
        return self.trainer.vocab_size - len(self.trainer.reserved)

    def _check_size(self, largest: int) -> None:
        given, reserved = self.trainer.vocab_size, len(self.trainer.reserved)
        if self.size < len(self._corpus.alphabet):
            least = reserved + len(self._corpus.alphabet)
            raise ValueError(f"vocab_size={given}: the required entries need at least {least}")
        if self.size > largest:
            raise ValueError(
                f"vocab_size={given}: these words have pieces for {reserved + largest} at most"
            )

    def step(self, *, without_prior: bool = False) -> UnigramStep:
        """Performs an EM step.

        Args:
            without_prior: Do not use the sparse prior, and drop nothing.

        Returns:
            The record of the history.
        """
        before, log_likelihood = (
            len(self.pieces),
            float(f"{self._expect():.{LIKELIHOOD_DIGITS - 1}e}"),
        )
        dropped = () if without_prior else self._drop()
        learned = {p: max(self._expected[p], UNIT // 2) for p in self.pieces.keys() - self._fixed}
        whole = sum(learned.values()) + sum(self._expected[piece] for piece in self._fixed)
        maximize = _maximize if without_prior else _maximize_with_prior
        self.pieces = {**maximize(learned, whole), **self._fixed}
        self.history.append(step := UnigramStep(before, log_likelihood, dropped))
        return step

    def _expect(self) -> float:
        """Computes the expected count of each piece in units (U16); returns the log-likelihood."""
        self._expected = dict.fromkeys(self.pieces, 0)
        weights, missing = self._weights(), 0
        for text, count in self._corpus.segments.items():
            edges = list(find_edges(text, weights, self._longest))
            own = [weights[edge.entry] for edge in edges]
            sums = forward_sums(len(text), edges, own)
            missing += to_units(count * max(0.0, -ln(sums[-1])))
            for edge, share in expected_counts(edges, own, sums, WideFloat.of(float(count))):
                self._expected[edge.entry] += to_units(float(share))
        return -missing / UNIT

    def _weights(self) -> dict[str, WideFloat]:
        return {piece: WideFloat.of(probability) for piece, probability in self.pieces.items()}

    def _drop(self) -> tuple[str, ...]:
        """Drops the pieces with an expected count below ½, if enough pieces are left (U17)."""
        rare = [piece for piece in self._removable() if self._expected[piece] < UNIT // 2]
        rare.sort(key=lambda piece: (-self._expected[piece], piece.encode()))
        needed = max(0, self.size - (len(self.pieces) - len(rare)))
        for piece in rare[needed:]:
            del self.pieces[piece]
        return tuple(reversed(rare[needed:]))

    def _removable(self) -> set[str]:
        return self.pieces.keys() - self._corpus.alphabet.keys() - self._fixed.keys()

    def prune(self, size: int) -> UnigramPruning:
        """Removes the pieces whose removal costs the least likelihood (U20).

        Args:
            size: Number of pieces to keep.

        Returns:
            The record of the history.
        """
        before = len(self.pieces)
        losses = self._losses()
        ranked = sorted(losses, key=lambda piece: (-losses[piece], piece.encode()))
        removed = ranked[::-1][: max(0, before - size)]
        for piece in removed:
            del self.pieces[piece]
        self.history.append(pruning := UnigramPruning(before, tuple(removed)))
        return pruning

    def _losses(self) -> dict[str, float]:
        """Returns the log-likelihood lost if a piece is split into others, for each piece (U19)."""
        weights = self._weights()
        losses: dict[str, float] = {}
        for piece in self._removable():
            edges = [e for e in find_edges(piece, weights, len(piece)) if e.entry != piece]
            others = forward_sums(len(piece), edges, [weights[edge.entry] for edge in edges])[-1]
            losses[piece] = self._expected[piece] / UNIT * ln(weights[piece] / others)
        return losses

    def finish(self) -> TrainedUnigram:
        """Performs steps and prunings until the size is reached (U21).

        Returns:
            Vocabulary and history.
        """
        target = max(self.size, 11 * self.size // 10)
        while True:
            for _ in range(self.trainer.em_steps):
                self.step()
            if len(self.pieces) <= target:
                break
            self.prune(max(target, int(self.trainer.shrinking_factor * len(self.pieces))))
        if len(self.pieces) > self.size:
            self.prune(self.size)
        for _ in range(STEPS_WITHOUT_PRIOR):
            self.step(without_prior=True)
        return TrainedUnigram(self._vocabulary(), self.history)

    def _vocabulary(self) -> list[tuple[str, float]]:
        """Returns the entries with their scores, by id (U22)."""
        ranked = sorted(self.pieces, key=lambda piece: (-self.pieces[piece], piece.encode()))
        learned = [
            (piece, round(ln(WideFloat.of(self.pieces[piece])), SCORE_DECIMALS)) for piece in ranked
        ]
        reserved = [(entry, 0.0) for entry in self.trainer.reserved]
        if self.trainer.special_tokens_first:
            return reserved + learned
        specials = len(self.trainer.special_tokens)
        return reserved[specials:] + learned + reserved[:specials]


def _maximize_with_prior(counts: Mapping[str, int], whole: int) -> dict[str, float]:
    weight = exp_digamma(whole / UNIT)
    return {piece: float(exp_digamma(count / UNIT) / weight) for piece, count in counts.items()}


def _maximize(counts: Mapping[str, int], whole: int) -> dict[str, float]:
    return {piece: float(count) / float(whole) for piece, count in counts.items()}


def train_unigram(words: Mapping[str, int], trainer: UnigramTrainer) -> TrainedUnigram:
    """Trains a vocabulary and its probabilities.

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id with their scores, and the history.

    Raises:
        ValueError: there is nothing to learn from, or the size is out of reach.
        OverflowError: the number of characters exceeds 64 bits.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> train_unigram(words, UnigramTrainer(13)).vocabulary[3]
    ('hug', -1.253238456778)
    """
    return UnigramTraining(words, trainer).finish()
