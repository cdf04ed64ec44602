"""Splitting one word into the likeliest entries, where longest match takes the longest.

    probabilities   hug 0.1   hu 0.2   ##gs 0.3   ##s 0.01
    hugs            hu ##gs  (0.06)     longest match: hug ##s  (0.001)

The lattice is that of Unigram; what differs is that entries inside a word carry the prefix, and what
becomes of unknown characters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piecework.reference import lattice, nbest
from piecework.reference.chance import SplitMix64
from piecework.reference.encode import UNKNOWN_POLICIES, Piece
from piecework.reference.floats import Wide, exp, ln
from piecework.reference.lattice import UNKNOWN, UNKNOWN_PENALTY
from piecework.reference.probability import FLOOR

UNKNOWN_SCORE = ln(Wide.of(FLOOR)) - UNKNOWN_PENALTY


@dataclass(frozen=True)
class LikeliestSplitter:
    """Gives the likeliest pieces of words (W20).

    Args:
        probabilities: Entry -> probability.
        prefix: What continuing entries begin with; it may be empty.
        unknown: What becomes of characters that no entry matches, as for `Splitter`.
        max_input_chars_per_word: A longer word is one unknown piece; None sets no limit.

    Raises:
        ValueError: there is no such policy.

    >>> split = LikeliestSplitter({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
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
        """Splits a word.

        Source: note 002 says that longest match need not be the likeliest; Viterbi's algorithm. Tie
        rule and cost: as `lattice.best` says.

        Args:
            word: A normalized word.

        Returns:
            Its pieces from left to right; together they cover the word. An empty word has none.

        >>> LikeliestSplitter({"a": 0.5, "##b": 0.5}, unknown="run")("axyb")[1]
        Piece(entry=None, start=1, end=3)
        """
        edges, scores = self._lattice(word)
        return self._pieces(word, lattice.best(len(word), edges, scores) if edges else [])

    def nbest(self, word: str, wanted: int) -> list[tuple[list[Piece], float]]:
        """Gives the best segmentations, best first (U36).

        Args:
            word: A word that is not empty.
            wanted: How many to give, if there are so many.

        Returns:
            Pieces, and the sum of their scores. A word without a segmentation is one unknown piece.

        >>> split = LikeliestSplitter({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
        >>> [[piece.entry for piece in pieces] for pieces, score in split.nbest("hugs", 5)]
        [['hu', '##gs'], ['hug', '##s']]
        """
        edges, scores = self._lattice(word)
        if not edges:
            return [(self._pieces(word, []), UNKNOWN_SCORE)]
        paths = nbest.nbest(len(word), edges, scores, wanted)
        return [(self._pieces(word, path.edges), path.score) for path in paths]

    def sample(
        self, word: str, alpha: float, generator: SplitMix64, nbest_size: int | None = None
    ) -> list[Piece]:
        """Draws a segmentation (U38, U48).

        Args:
            word: A word that is not empty.
            alpha: The power of the probabilities.
            generator: Where to draw from; a word without a segmentation draws nothing.
            nbest_size: Draw among so many of the best; None draws among all.

        Returns:
            Pieces from left to right.

        >>> split = LikeliestSplitter({"hug": 0.1, "hu": 0.2, "##gs": 0.3, "##s": 0.01})
        >>> [len(split.sample("hugs", 1.0, SplitMix64(seed), 1)) for seed in range(3)]
        [2, 2, 2]
        """
        edges, scores = self._lattice(word)
        if not edges:
            return self._pieces(word, [])
        if nbest_size is not None:
            return nbest.sampled(self.nbest(word, nbest_size), alpha, generator)
        weights = [exp(alpha * score) for score in scores]
        return self._pieces(word, lattice.sampled(len(word), edges, weights, generator))

    def log_probability(self, word: str) -> float:
        """Gives the logarithm of the sum of the probabilities of all segmentations (U39).

        Args:
            word: A word that is not empty.

        Returns:
            Natural logarithm; that of an unknown piece, if there is no segmentation.

        >>> split = LikeliestSplitter({"a": 0.5, "aa": 0.25, "##a": 0.5})
        >>> split.log_probability("aa") == ln(Wide.of(0.5))
        True
        """
        edges, scores = self._lattice(word)
        if not edges:
            return UNKNOWN_SCORE
        weights = [exp(score) for score in scores]
        return ln(lattice.forward(len(word), edges, weights)[-1])

    def _lattice(self, word: str) -> tuple[list[lattice.Edge], list[float]]:
        """Gives the edges of a word with their scores; none if no path leads to its end."""
        limit = self.max_input_chars_per_word
        if limit is not None and len(word) > limit:
            return [], []
        longest = max(map(len, self.probabilities), default=0)
        edges = list(lattice.matches(word, self.probabilities, longest, self.prefix))
        if self.unknown != "word":
            edges = lattice.with_unknown(edges, len(word))
        edges = lattice.reachable(edges)
        if not any(edge.end == len(word) for edge in edges):
            return [], []
        return edges, [self._score(edge.entry) for edge in edges]

    def _score(self, entry: str) -> float:
        return UNKNOWN_SCORE if entry == UNKNOWN else ln(Wide.of(self.probabilities[entry]))

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
