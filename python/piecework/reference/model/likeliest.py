"""The likeliest segmentation of a word under a WordPiece vocabulary.

    probabilities   hug 0.1   hu 0.2   ##gs 0.3   ##s 0.01
    hugs            hu ##gs  (0.06)     longest match: hug ##s  (0.001)

The lattice is that of Unigram; the differences are that entries inside a word carry the prefix, and
how unknown characters are handled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piecework.reference.model import lattice, nbest
from piecework.reference.model.lattice import UNKNOWN, UNKNOWN_PENALTY
from piecework.reference.model.probability import PROBABILITY_FLOOR
from piecework.reference.model.wordpiece import UNKNOWN_POLICIES, Piece
from piecework.reference.numbers.floats import WideFloat, exp, ln
from piecework.reference.numbers.prng import SplitMix64

UNKNOWN_SCORE = ln(WideFloat.of(PROBABILITY_FLOOR)) - UNKNOWN_PENALTY


@dataclass(frozen=True)
class LikeliestEncoder:
    """Encodes words as their likeliest pieces (W20).

    Args:
        probabilities: Entry -> probability.
        prefix: Prefix of continuing entries; it may be empty.
        unknown: What happens to characters that no entry matches, as for `LongestMatchEncoder`.
        max_input_chars_per_word: A longer word is one unknown piece; None sets no limit.

    Raises:
        ValueError: the policy is unknown.

    >>> split = LikeliestEncoder({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
    >>> [piece.entry for piece in split("hugs")]
    ['hu', '##gs']
    """

    probabilities: Mapping[str, float]
    prefix: str = "##"
    unknown: str = "word"
    max_input_chars_per_word: int | None = 100

    def __post_init__(self) -> None:
        if self.unknown not in UNKNOWN_POLICIES:
            raise ValueError(f"unknown={self.unknown!r}: expected one of {UNKNOWN_POLICIES}")

    def __call__(self, word: str) -> list[Piece]:
        """Encodes a word.

        Longest match need not be the likeliest. Source: Viterbi 1967. Tie rule and cost: see
        `lattice.best_path`.

        Args:
            word: A normalized word.

        Returns:
            Pieces from left to right; together they cover the word. An empty word has none.

        >>> LikeliestEncoder({"a": 0.5, "##b": 0.5}, unknown="run")("axyb")[1]
        Piece(entry=None, start=1, end=3)
        """
        edges, scores = self._lattice(word)
        return self._pieces(word, lattice.best_path(len(word), edges, scores) if edges else [])

    def nbest(self, word: str, max_count: int) -> list[tuple[list[Piece], float]]:
        """Returns the best segmentations with their scores, best first (U36).

        Args:
            word: A word that is not empty.
            max_count: Most segmentations to return.

        Returns:
            Pieces, and the sum of their scores. A word without a segmentation is one unknown piece.

        >>> split = LikeliestEncoder({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
        >>> [[piece.entry for piece in pieces] for pieces, score in split.nbest("hugs", 5)]
        [['hu', '##gs'], ['hug', '##s']]
        """
        edges, scores = self._lattice(word)
        if not edges:
            return [(self._pieces(word, []), UNKNOWN_SCORE)]
        paths = nbest.nbest(len(word), edges, scores, max_count)
        return [(self._pieces(word, path.edges), path.score) for path in paths]

    def sample(
        self, word: str, alpha: float, generator: SplitMix64, nbest_size: int | None = None
    ) -> list[Piece]:
        """Draws a segmentation (U38, U48).

        Args:
            word: A word that is not empty.
            alpha: Exponent of the probabilities.
            generator: The random numbers; a word without a segmentation draws none.
            nbest_size: Draw among this number of best segmentations; None draws among all.

        Returns:
            Pieces from left to right.

        >>> split = LikeliestEncoder({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
        >>> [len(split.sample("hugs", 1.0, SplitMix64(seed), 1)) for seed in range(3)]
        [2, 2, 2]
        """
        edges, scores = self._lattice(word)
        if not edges:
            return self._pieces(word, [])
        if nbest_size is not None:
            return nbest.sample_path(self.nbest(word, nbest_size), alpha, generator)
        weights = [exp(alpha * score) for score in scores]
        return self._pieces(word, lattice.sample_path(len(word), edges, weights, generator))

    def marginal_log_likelihood(self, word: str) -> float:
        """Returns the logarithm of the total probability of all segmentations (U39).

        Args:
            word: A word that is not empty.

        Returns:
            Natural logarithm; without a segmentation, that of an unknown piece.

        >>> split = LikeliestEncoder({"a": 0.5, "aa": 0.25, "##a": 0.5})
        >>> split.marginal_log_likelihood("aa") == ln(WideFloat.of(0.5))
        True
        """
        edges, scores = self._lattice(word)
        if not edges:
            return UNKNOWN_SCORE
        weights = [exp(score) for score in scores]
        return ln(lattice.forward_sums(len(word), edges, weights)[-1])

    def _lattice(self, word: str) -> tuple[list[lattice.Edge], list[float]]:
        """Returns the edges of a word with their scores; none if no path reaches its end."""
        limit = self.max_input_chars_per_word
        if limit is not None and len(word) > limit:
            return [], []
        longest = max(map(len, self.probabilities), default=0)
        edges = list(lattice.find_edges(word, self.probabilities, longest, self.prefix))
        if self.unknown != "word":
            edges = lattice.add_unknown_edges(edges, len(word))
        edges = lattice.filter_reachable(edges)
        if not any(edge.end == len(word) for edge in edges):
            return [], []
        return edges, [self._score(edge.entry) for edge in edges]

    def _score(self, entry: str) -> float:
        return UNKNOWN_SCORE if entry == UNKNOWN else ln(WideFloat.of(self.probabilities[entry]))

    def _pieces(self, word: str, path: Sequence[lattice.Edge]) -> list[Piece]:
        if word and not path:
            return [Piece(None, 0, len(word))]
        pieces: list[Piece] = []
        for start, end, entry in path:
            piece = Piece(entry or None, start, end)
            if self.unknown == "run" and entry == UNKNOWN and pieces and not pieces[-1].entry:
                piece = Piece(None, pieces.pop().start, end)
            pieces.append(piece)
        return pieces
