"""Unigram: of all ways to spell a word in pieces, the likeliest; or the best few, or one by chance.

    hug -1.2   u -2.3   g -2.4   s -2.4   hu -3        hugs  ->  hug s   (-3.6)
                                                             hu g s  (-7.8)

Scores are logarithms of probabilities and add up along a path of the lattice. Two libraries differ in
how they add: `tokenizers` in 64-bit floats, SentencePiece in 32-bit ones, and equal scores are common
enough for that to matter.

Rules with numbers, such as U32, are those of `spec/unigram.md`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isfinite

from piecework.reference import lattice, nbest
from piecework.reference.chance import SplitMix64
from piecework.reference.encode import Piece
from piecework.reference.floats import exp, ln, single
from piecework.reference.lattice import UNKNOWN, UNKNOWN_PENALTY, Edge

SYMBOL_BONUS = 0.1
"""What each character of a user-defined entry but the first adds to its score; on the best path, each byte (U31)."""

FAR = 100_000.0
"""Sums of 32 bits farther from 0 begin anew (U32)."""

LARGEST = single(2.0**128 - 2.0**104)
"""The largest float of 32 bits."""

ROUNDING: dict[str, lattice.Rounding] = {"float64": float, "float32": single}


@dataclass(frozen=True)
class Settings:
    """Gives how a word is split, scores apart.

    Args:
        unk_token: Stands for characters that are no pieces; None makes them an error.
        precision: `float64` does as `tokenizers`, `float32` as SentencePiece.
        byte_fallback: Unknown characters become entries such as `<0xE4>`, where there are such.
        user_defined: Entries that go before all others; with `float64` they are like all others.
        reserved: Entries that no text becomes.
        alpha: Draw a segmentation, with its probability to this power; None takes the likeliest.
        nbest_size: Draw among so many of the best; None draws among all.

    Raises:
        ValueError: a setting is impossible.

    >>> Settings(precision="float16")
    Traceback (most recent call last):
    ValueError: precision='float16': expected one of ('float64', 'float32')
    """

    unk_token: str | None = None
    precision: str = "float64"
    byte_fallback: bool = False
    user_defined: frozenset[str] = frozenset()
    reserved: frozenset[str] = frozenset()
    alpha: float | None = None
    nbest_size: int | None = None

    def __post_init__(self) -> None:
        if self.precision not in ROUNDING:
            raise ValueError(f"precision={self.precision!r}: expected one of {tuple(ROUNDING)}")
        if self.alpha is not None and not 0 <= self.alpha < inf:
            raise ValueError(f"alpha={self.alpha}: expected a number from 0, or None")


class Encoder:
    """Gives the pieces of a word.

    Args:
        scores: Entry -> score.
        settings: Everything else.
        barred: More entries that no text becomes.

    Raises:
        ValueError: an entry is empty, or a score is no finite number.

    >>> encode = Encoder({"hug": -1.2, "h": -3.0, "u": -2.3, "g": -2.4, "s": -2.4}, Settings())
    >>> [piece.entry for piece in encode("hugs")]
    ['hug', 's']
    >>> [(len(pieces), round(score, 1)) for pieces, score in encode.nbest("hugs", 9)]
    [(2, -3.6), (4, -10.1)]
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        settings: Settings,
        barred: frozenset[str] = frozenset(),
    ) -> None:
        self.settings = settings
        self._rounded = ROUNDING[settings.precision]
        self._far = FAR if settings.precision == "float32" else inf
        self._entries = scores.keys() - barred
        self._scores = {entry: self._checked(entry, score) for entry, score in scores.items()}
        self._open = self._entries - settings.reserved
        self._longest = max(map(len, self._open), default=0)
        none = LARGEST if settings.precision == "float32" else 0.0
        self._unknown = self._rounded(min(self._ordinary(), default=none) - UNKNOWN_PENALTY)

    def _checked(self, entry: str, score: float) -> float:
        if not entry:
            raise ValueError("an entry of the vocabulary is empty")
        rounded = self._rounded(score)
        if not isfinite(rounded):
            raise ValueError(
                f"the score of {entry!r} is {score}: expected a number that {self.settings.precision} holds"
            )
        return rounded

    def _ordinary(self) -> Iterable[float]:
        """Gives the scores that the one of unknown characters is below (U31)."""
        if self.settings.precision == "float64":
            return self._scores.values()
        others = self.settings.reserved | self.settings.user_defined
        return (score for entry, score in self._scores.items() if entry not in others)

    def __call__(self, word: str, generator: SplitMix64 | None = None) -> list[Piece]:
        """Splits a word.

        Args:
            word: A word that is not empty.
            generator: Where a segmentation is drawn from, if there is an alpha.

        Returns:
            Pieces from left to right, with spans in characters; None is the entry of an unknown one.

        Raises:
            ValueError: something is unknown, and there is no unknown token; there is an alpha, and
                nothing to draw from.

        >>> Encoder({"a": -1.0, "?": 0.0}, Settings(unk_token="?"))("abca")[1]
        Piece(entry=None, start=1, end=3)
        """
        if self.settings.alpha is not None:
            if generator is None:
                raise ValueError("alpha needs a seed")
            return self.sample(word, self.settings.alpha, generator, self.settings.nbest_size)
        edges, scores = self._lattice(word, lambda entry: len(entry.encode()))
        return self._pieces(word, lattice.best(len(word), edges, scores, self._rounded, self._far))

    def nbest(self, word: str, wanted: int) -> list[tuple[list[Piece], float]]:
        """Gives the best segmentations, best first (U36).

        Args:
            word: A word that is not empty.
            wanted: How many to give, if there are so many.

        Returns:
            Pieces, and the sum of their scores.

        Raises:
            ValueError: something is unknown, and there is no unknown token.
        """
        edges, scores = self._lattice(word)
        paths = nbest.nbest(len(word), edges, scores, wanted, self._rounded)
        return [(self._pieces(word, path.edges), path.score) for path in paths]

    def sample(
        self, word: str, alpha: float, generator: SplitMix64, nbest_size: int | None = None
    ) -> list[Piece]:
        """Draws a segmentation (U38, U48).

        Args:
            word: A word that is not empty.
            alpha: The power of the probabilities: 0 makes all segmentations equally likely.
            generator: Where to draw from.
            nbest_size: Draw among so many of the best; None draws among all.

        Returns:
            Pieces from left to right.

        Raises:
            ValueError: something is unknown, and there is no unknown token.

        >>> encode = Encoder({"a": -1.0, "aa": -2.0}, Settings())
        >>> [len(encode.sample("aaaa", 0.5, SplitMix64(seed))) for seed in range(4)]
        [3, 4, 4, 3]
        """
        if nbest_size is not None:
            return nbest.sampled(self.nbest(word, nbest_size), alpha, generator)
        edges, scores = self._lattice(word)
        weights = [exp(alpha * score) for score in scores]
        return self._pieces(word, lattice.sampled(len(word), edges, weights, generator))

    def log_probability(self, word: str) -> float:
        """Gives the logarithm of the sum of the probabilities of all segmentations (U39).

        Args:
            word: A word that is not empty.

        Returns:
            A natural logarithm.

        Raises:
            ValueError: something is unknown, and there is no unknown token.

        >>> round(Encoder({"a": -1.0, "aa": -2.0}, Settings()).log_probability("aa"), 4)
        -1.3069
        """
        edges, scores = self._lattice(word)
        return ln(lattice.forward(len(word), edges, [exp(score) for score in scores])[-1])

    def score(self, entries: Iterable[str]) -> float:
        """Gives the score of a segmentation (U47).

        Args:
            entries: Entries of the vocabulary from left to right.

        Returns:
            The sum of their scores.

        >>> encode = Encoder({"a": -1.0, "b": -2.0, "?": 0.0}, Settings(unk_token="?"))
        >>> encode.score(["a", "b"]), encode.score(["a", "?"])
        (-3.0, -13.0)
        """
        total = 0.0
        for entry in entries:
            total = self._rounded(total + self._own_score(entry))
        return total

    def _own_score(self, entry: str) -> float:
        if entry == self.settings.unk_token:
            return self._unknown
        return 0.0 if entry in self.settings.reserved else self._score(entry, len)

    def _lattice(
        self, word: str, size_of: Callable[[str], int] = len
    ) -> tuple[list[Edge], list[float]]:
        """Gives the edges of a word with their scores (U31).

        Args:
            word: A word.
            size_of: The size that the score of a user-defined entry goes by.
        """
        edges = list(lattice.matches(word, self._open, self._longest))
        if self.settings.unk_token is not None:
            edges = lattice.with_unknown(edges, len(word))
        edges = lattice.reachable(edges)
        if not any(edge.end == len(word) for edge in edges):
            raise ValueError(f"{word!r} has unknown characters, and there is no unknown token")
        return edges, [self._score(edge.entry, size_of) for edge in edges]

    def _score(self, entry: str, size_of: Callable[[str], int]) -> float:
        if entry == UNKNOWN:
            return self._unknown
        if entry in self.settings.user_defined and self.settings.precision == "float32":
            return self._rounded(SYMBOL_BONUS * (size_of(entry) - 1))
        return self._scores[entry]

    def _pieces(self, word: str, path: Iterable[Edge]) -> list[Piece]:
        """Makes pieces of edges, and says what unknown ones become (U33, U34)."""
        pieces: list[Piece] = []
        for unknown, run in groupby(path, self._is_unknown):
            edges = list(run)
            if unknown and not self._bytes_by_themselves:
                edges = [Edge(edges[0].start, edges[-1].end, UNKNOWN)]
            for edge in edges:
                names = self._of_unknown(word[edge.start : edge.end]) if unknown else [edge.entry]
                pieces += [Piece(name, edge.start, edge.end) for name in names]
        return pieces

    @property
    def _bytes_by_themselves(self) -> bool:
        return self.settings.precision == "float32" and self.settings.byte_fallback

    def _is_unknown(self, edge: Edge) -> bool:
        return edge.entry in (UNKNOWN, self.settings.unk_token)

    def _of_unknown(self, text: str) -> Sequence[str | None]:
        if text in self._open and self.settings.precision == "float64":
            return [text]
        names = [f"<0x{byte:02X}>" for byte in text.encode()]
        return names if self.settings.byte_fallback and self._entries >= set(names) else [None]
