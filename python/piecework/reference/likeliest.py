"""Splitting one word into the likeliest entries, where longest match takes the longest.

    probabilities   hug 0.1   hu 0.2   ##gs 0.3   ##s 0.01
    hugs            hu ##gs  (0.06)     longest match: hug ##s  (0.001)

The lattice is that of Unigram; what differs is that entries inside a word carry the prefix, and what
becomes of unknown characters.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from piecework.reference import lattice
from piecework.reference.encode import UNKNOWN_POLICIES, Piece
from piecework.reference.floats import Wide, ln
from piecework.reference.lattice import UNKNOWN
from piecework.reference.probability import FLOOR

UNKNOWN_SCORE = ln(Wide.of(FLOOR)) - 10


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
        limit = self.max_input_chars_per_word
        if limit is not None and len(word) > limit:
            return [Piece(None, 0, len(word))]
        longest = max(map(len, self.probabilities), default=0)
        edges = list(lattice.matches(word, self.probabilities, longest, self.prefix))
        if self.unknown != "word":
            edges = lattice.with_unknown(edges, len(word))
        edges = lattice.reachable(edges)
        if word and not any(edge.end == len(word) for edge in edges):
            return [Piece(None, 0, len(word))]
        scores = [self._score(edge.entry) for edge in edges]
        return self._pieces(lattice.best(len(word), edges, scores))

    def _score(self, entry: str) -> float:
        return UNKNOWN_SCORE if entry == UNKNOWN else ln(Wide.of(self.probabilities[entry]))

    def _pieces(self, path: list[lattice.Edge]) -> list[Piece]:
        pieces: list[Piece] = []
        for start, end, entry in path:
            piece = Piece(entry or None, start, end)
            if self.unknown == "run" and entry == UNKNOWN and pieces and not pieces[-1].entry:
                piece = Piece(None, pieces.pop().start, end)
            pieces.append(piece)
        return pieces
