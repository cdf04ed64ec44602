"""Training Unigram: begin with too many pieces, learn their probabilities, drop those that are missed least.

    seeds   u g p n h s b   hug ug pun pu un hugs pug bun
    EM      how often is each piece expected, over all segmentations?  those shares are the new probabilities
    prune   what would the words lose if `pu` were spelled by other pieces?

Rules with numbers, such as U16, are those of `spec/unigram.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from piecework.reference.floats import UNIT, Wide, exp_digamma, ln, units
from piecework.reference.lattice import forward, matches, shares
from piecework.reference.settings import UnigramTrainer
from piecework.reference.unigram_seeds import Corpus, corpus, seed_pieces

PLAIN_STEPS = 2
DECIMALS, DIGITS = 13, 15


class Step(NamedTuple):
    """Gives what the history says of a step of EM (U23).

    Args:
        pieces: How many there were before it.
        log_likelihood: Of the words under them.
        dropped: Those that it dropped, the least expected first.
    """

    pieces: int
    log_likelihood: float
    dropped: tuple[str, ...]


class Pruning(NamedTuple):
    """Gives what the history says of a pruning (U23).

    Args:
        pieces: How many there were before it.
        removed: Those that it removed, the least missed first.
    """

    pieces: int
    removed: tuple[str, ...]


class TrainedUnigram(NamedTuple):
    """Gives what a training of Unigram learned.

    Args:
        vocabulary: Entries with their scores, in order of their ids.
        history: What was done.
    """

    vocabulary: list[tuple[str, float]]
    history: list[Step | Pruning]


@dataclass
class UnigramTraining:
    """Gives a training that can be watched: `step` is one step of EM, `prune` removes pieces.

    Source: Kudo 2018, note 003 and `spec/unigram.md`. Ties: the lower UTF-8 bytes stay. Cost: a step
    takes time for every place in a word where a piece stands.

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.

    Raises:
        ValueError: nothing can be learned, or the size cannot be reached.
        OverflowError: the characters are more than 64 bits can count.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> training = UnigramTraining(words, UnigramTrainer(13))
    >>> len(training.pieces), round(training.step().log_likelihood, 3)
    (15, -88.144)
    """

    words: Mapping[str, int]
    trainer: UnigramTrainer
    pieces: dict[str, float] = field(init=False)
    history: list[Step | Pruning] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._corpus: Corpus = corpus(self.words, self.trainer)
        self._expected: dict[str, int] = {}
        values = seed_pieces(self._corpus, self.trainer)
        self._check_size(len(values))
        whole = sum(max(value, 1) for value in values.values())
        self.pieces = {text: float(max(value, 1)) / float(whole) for text, value in values.items()}

    @property
    def size(self) -> int:
        """Gives the number of pieces at the end (U15)."""
        return self.trainer.vocab_size - len(self.trainer.reserved)

    def _check_size(self, largest: int) -> None:
        given, reserved = self.trainer.vocab_size, len(self.trainer.reserved)
        if self.size < len(self._corpus.alphabet):
            least = reserved + len(self._corpus.alphabet)
            raise ValueError(f"vocab_size={given}: the entries that must be there need {least}")
        if self.size > largest:
            raise ValueError(
                f"vocab_size={given}: these words have pieces for {reserved + largest} at most"
            )

    def step(self, *, plain: bool = False) -> Step:
        """Takes a step of EM.

        Args:
            plain: Do without the sparse prior, and drop nothing.

        Returns:
            What the history says of it.
        """
        before, log_likelihood = len(self.pieces), float(f"{self._expect():.{DIGITS - 1}e}")
        dropped = () if plain else self._drop()
        counts = {piece: max(self._expected[piece], UNIT // 2) for piece in self.pieces}
        self.pieces = _plain(counts) if plain else _sparse(counts)
        self.history.append(step := Step(before, log_likelihood, dropped))
        return step

    def _expect(self) -> float:
        """Counts how often each piece is expected, in units (U16); gives the log-likelihood."""
        self._expected = dict.fromkeys(self.pieces, 0)
        weights, missing = self._weights(), 0
        for text, count in self._corpus.stretches.items():
            edges = list(matches(text, weights, self.trainer.max_piece_length))
            own = [weights[edge.entry] for edge in edges]
            sums = forward(len(text), edges, own)
            missing += units(count * max(0.0, -ln(sums[-1])))
            for edge, share in shares(edges, own, sums, Wide.of(float(count))):
                self._expected[edge.entry] += units(float(share))
        return -missing / UNIT

    def _weights(self) -> dict[str, Wide]:
        return {piece: Wide.of(probability) for piece, probability in self.pieces.items()}

    def _drop(self) -> tuple[str, ...]:
        """Drops the pieces that are expected less than half a time, if enough are left (U17)."""
        rare = [
            piece
            for piece in self.pieces.keys() - self._corpus.alphabet.keys()
            if self._expected[piece] < UNIT // 2
        ]
        rare.sort(key=lambda piece: (-self._expected[piece], piece.encode()))
        needed = max(0, self.size - (len(self.pieces) - len(rare)))
        for piece in rare[needed:]:
            del self.pieces[piece]
        return tuple(reversed(rare[needed:]))

    def prune(self, size: int) -> Pruning:
        """Removes the pieces that are missed least (U20).

        Args:
            size: How many are to stay.

        Returns:
            What the history says of it.
        """
        before = len(self.pieces)
        losses = self._losses()
        rest = sorted(losses, key=lambda piece: (-losses[piece], piece.encode()))
        least_first = rest[::-1][: max(0, before - size)]
        for piece in least_first:
            del self.pieces[piece]
        self.history.append(pruning := Pruning(before, tuple(least_first)))
        return pruning

    def _losses(self) -> dict[str, float]:
        """Says what the log-likelihood loses if a piece is spelled by others (U19)."""
        weights = self._weights()
        losses: dict[str, float] = {}
        for piece in self.pieces.keys() - self._corpus.alphabet.keys():
            edges = [e for e in matches(piece, weights, len(piece)) if e.entry != piece]
            others = forward(len(piece), edges, [weights[edge.entry] for edge in edges])[-1]
            losses[piece] = self._expected[piece] / UNIT * ln(weights[piece] / others)
        return losses

    def finish(self) -> TrainedUnigram:
        """Takes steps and prunes until the size is reached (U21).

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
        for _ in range(PLAIN_STEPS):
            self.step(plain=True)
        return TrainedUnigram(self._vocabulary(), self.history)

    def _vocabulary(self) -> list[tuple[str, float]]:
        """Lists the entries (U22)."""
        ranked = sorted(self.pieces, key=lambda piece: (-self.pieces[piece], piece.encode()))
        learned = [(piece, round(ln(Wide.of(self.pieces[piece])), DECIMALS)) for piece in ranked]
        reserved = [(entry, 0.0) for entry in self.trainer.reserved]
        if self.trainer.special_tokens_first:
            return reserved + learned
        specials = len(self.trainer.special_tokens)
        return reserved[specials:] + learned + reserved[:specials]


def _sparse(counts: Mapping[str, int]) -> dict[str, float]:
    whole = exp_digamma(sum(counts.values()) / UNIT)
    return {piece: float(exp_digamma(count / UNIT) / whole) for piece, count in counts.items()}


def _plain(counts: Mapping[str, int]) -> dict[str, float]:
    whole = float(sum(counts.values()))
    return {piece: float(count) / whole for piece, count in counts.items()}


def train_unigram(words: Mapping[str, int], trainer: UnigramTrainer) -> TrainedUnigram:
    """Trains a vocabulary and its probabilities.

    Args:
        words: word -> count; normalized and pre-tokenized.
        trainer: The settings.

    Returns:
        The entries by id with their scores, and what was done.

    Raises:
        ValueError: nothing can be learned, or the size cannot be reached.
        OverflowError: the characters are more than 64 bits can count.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> train_unigram(words, UnigramTrainer(13)).vocabulary[3]
    ('hug', -1.253238456778)
    """
    return UnigramTraining(words, trainer).finish()
