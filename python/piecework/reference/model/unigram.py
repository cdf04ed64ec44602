"""Unigram: the likeliest segmentation of a word, the n best ones, or a sampled one.

    hug -1.2   u -2.3   g -2.4   s -2.4   hu -3        hugs  ->  hug s   (-3.6)
                                                             hu g s  (-7.8)

Scores are logarithms of probabilities and add up along a path of the lattice. Two libraries differ
in their arithmetic: `tokenizers` adds 64-bit floats, SentencePiece 32-bit ones, and ties are common
enough for that to matter.

Source: Kudo 2018. Rules with numbers, such as U32, are those of `spec/unigram.md`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isfinite

from piecework.reference.model import lattice, nbest
from piecework.reference.model.lattice import UNKNOWN, UNKNOWN_PENALTY, Edge
from piecework.reference.model.wordpiece import Piece
from piecework.reference.numbers.floats import exp, ln, round_to_f32
from piecework.reference.numbers.prng import SplitMix64

SYMBOL_BONUS = 0.1
"""The score of a user-defined entry, for each character but the first; on the best path, for each
byte but the first (U31)."""

REBASE_THRESHOLD = 100_000.0
"""Sums of 32 bits beyond this magnitude are rebased to 0 (U32)."""

LARGEST_F32 = round_to_f32(2.0**128 - 2.0**104)
"""The largest finite 32-bit float."""

ROUNDING: dict[str, lattice.Rounding] = {"float64": float, "float32": round_to_f32}


@dataclass(frozen=True)
class UnigramSettings:
    """Holds the settings of Unigram encoding, apart from the scores.

    Args:
        unk_token: Token for characters that are not pieces; None makes them an error.
        precision: `float64` computes as `tokenizers`, `float32` as SentencePiece.
        byte_fallback: Encode unknown characters as entries such as `<0xE4>`, if these exist.
        user_defined: Entries that are preferred to all others; with `float64` they are like all
            others.
        reserved: Entries that no text becomes.
        alpha: Draw a segmentation, with its probability to this power; None takes the likeliest.
        nbest_size: Draw among this number of best segmentations; None draws among all.

    Raises:
        ValueError: a setting is invalid.

    >>> UnigramSettings(precision="float16")
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


class UnigramEncoder:
    """Encodes words as pieces with scores.

    Args:
        scores: Entry -> score.
        settings: All other settings.
        excluded: More entries that no text becomes.

    Raises:
        ValueError: an entry is empty, or a score is not finite.

    >>> scores = {"hug": -1.2, "h": -3.0, "u": -2.3, "g": -2.4, "s": -2.4}
    >>> encode = UnigramEncoder(scores, UnigramSettings())
    >>> [piece.entry for piece in encode("hugs")]
    ['hug', 's']
    >>> [(len(pieces), round(score, 1)) for pieces, score in encode.nbest("hugs", 9)]
    [(2, -3.6), (4, -10.1)]
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        settings: UnigramSettings,
        excluded: frozenset[str] = frozenset(),
    ) -> None:
        self.settings = settings
        self._round = ROUNDING[settings.precision]
        self._rebase_threshold = REBASE_THRESHOLD if settings.precision == "float32" else inf
        self._entries = scores.keys() - excluded
        self._scores = {entry: self._check_score(entry, score) for entry, score in scores.items()}
        self._text_entries = self._entries - settings.reserved
        self._longest = max(map(len, self._text_entries), default=0)
        none = LARGEST_F32 if settings.precision == "float32" else 0.0
        self._unknown = self._round(min(self._ordinary_scores(), default=none) - UNKNOWN_PENALTY)

    def _check_score(self, entry: str, score: float) -> float:
        if not entry:
            raise ValueError("the vocabulary has an empty entry; remove it")
        rounded = self._round(score)
        if not isfinite(rounded):
            raise ValueError(
                f"the score of {entry!r} is {score}: "
                f"expected a finite number in {self.settings.precision}"
            )
        return rounded

    def _ordinary_scores(self) -> Iterable[float]:
        """Returns the scores whose minimum defines that of unknown characters (U31)."""
        if self.settings.precision == "float64":
            return self._scores.values()
        others = self.settings.reserved | self.settings.user_defined
        return (score for entry, score in self._scores.items() if entry not in others)

    def __call__(self, word: str, generator: SplitMix64 | None = None) -> list[Piece]:
        """Encodes a word.

        Tie rule and cost: see `lattice.best_path`.

        Args:
            word: A word that is not empty.
            generator: The random numbers for a segmentation drawn with `alpha`.

        Returns:
            Pieces from left to right, with spans in characters; the entry of an unknown one is
            None.

        Raises:
            ValueError: something is unknown and there is no unknown token, or there is an alpha and
                no generator.

        >>> UnigramEncoder({"a": -1.0, "?": 0.0}, UnigramSettings(unk_token="?"))("abca")[1]
        Piece(entry=None, start=1, end=3)
        """
        if self.settings.alpha is not None:
            if generator is None:
                raise ValueError(f"alpha={self.settings.alpha}: requires a generator; pass one")
            return self.sample(word, self.settings.alpha, generator, self.settings.nbest_size)
        edges, scores = self._lattice(word, lambda entry: len(entry.encode()))
        return self._pieces(
            word, lattice.best_path(len(word), edges, scores, self._round, self._rebase_threshold)
        )

    def nbest(self, word: str, max_count: int) -> list[tuple[list[Piece], float]]:
        """Returns the best segmentations with their scores, best first (U36).

        Args:
            word: A word that is not empty.
            max_count: Most segmentations to return.

        Returns:
            Pieces, and the sum of their scores.

        Raises:
            ValueError: something is unknown, and there is no unknown token.
        """
        edges, scores = self._lattice(word)
        paths = nbest.nbest(len(word), edges, scores, max_count, self._round)
        return [(self._pieces(word, path.edges), path.score) for path in paths]

    def sample(
        self, word: str, alpha: float, generator: SplitMix64, nbest_size: int | None = None
    ) -> list[Piece]:
        """Draws a segmentation (U38, U48).

        Args:
            word: A word that is not empty.
            alpha: Exponent of the probabilities: 0 makes all segmentations equally likely.
            generator: The random numbers.
            nbest_size: Draw among this number of best segmentations; None draws among all.

        Returns:
            Pieces from left to right.

        Raises:
            ValueError: something is unknown, and there is no unknown token.

        >>> encode = UnigramEncoder({"a": -1.0, "aa": -2.0}, UnigramSettings())
        >>> [len(encode.sample("aaaa", 0.5, SplitMix64(seed))) for seed in range(4)]
        [3, 4, 4, 3]
        """
        if nbest_size is not None:
            return nbest.sample_path(self.nbest(word, nbest_size), alpha, generator)
        edges, scores = self._lattice(word)
        weights = [exp(alpha * score) for score in scores]
        return self._pieces(word, lattice.sample_path(len(word), edges, weights, generator))

    def marginal_log_likelihood(self, word: str) -> float:
        """Returns the logarithm of the total probability of all segmentations (U39).

        Args:
            word: A word that is not empty.

        Returns:
            A natural logarithm.

        Raises:
            ValueError: something is unknown, and there is no unknown token.

        >>> encode = UnigramEncoder({"a": -1.0, "aa": -2.0}, UnigramSettings())
        >>> round(encode.marginal_log_likelihood("aa"), 4)
        -1.3069
        """
        edges, scores = self._lattice(word)
        return ln(lattice.forward_sums(len(word), edges, [exp(score) for score in scores])[-1])

    def score(self, entries: Iterable[str]) -> float:
        """Returns the score of a segmentation (U47).

        Args:
            entries: Entries of the vocabulary from left to right.

        Returns:
            The sum of their scores.

        >>> scores = {"a": -1.0, "b": -2.0, "?": 0.0}
        >>> encode = UnigramEncoder(scores, UnigramSettings(unk_token="?"))
        >>> encode.score(["a", "b"]), encode.score(["a", "?"])
        (-3.0, -13.0)
        """
        total = 0.0
        for entry in entries:
            total = self._round(total + self._entry_score(entry))
        return total

    def _entry_score(self, entry: str) -> float:
        if entry == self.settings.unk_token:
            return self._unknown
        return 0.0 if entry in self.settings.reserved else self._score(entry, len)

    def _lattice(
        self, word: str, size_of: Callable[[str], int] = len
    ) -> tuple[list[Edge], list[float]]:
        """Returns the edges of a word with their scores (U31).

        Args:
            word: A word.
            size_of: Returns the size from which the score of a user-defined entry is computed.
        """
        edges = list(lattice.find_edges(word, self._text_entries, self._longest))
        if self.settings.unk_token is not None:
            edges = lattice.add_unknown_edges(edges, len(word))
        edges = lattice.filter_reachable(edges)
        if not any(edge.end == len(word) for edge in edges):
            raise ValueError(
                f"word {word!r} has unknown characters and there is no unknown token; set unk_token"
            )
        return edges, [self._score(edge.entry, size_of) for edge in edges]

    def _score(self, entry: str, size_of: Callable[[str], int]) -> float:
        if entry == UNKNOWN:
            return self._unknown
        if entry in self.settings.user_defined and self.settings.precision == "float32":
            return self._round(SYMBOL_BONUS * (size_of(entry) - 1))
        return self._scores[entry]

    def _pieces(self, word: str, path: Iterable[Edge]) -> list[Piece]:
        """Returns the pieces of a path, with unknown ones resolved (U33, U34)."""
        pieces: list[Piece] = []
        for unknown, run in groupby(path, self._is_unknown):
            edges = list(run)
            if unknown and not self._keeps_bytes_apart:
                edges = [Edge(edges[0].start, edges[-1].end, UNKNOWN)]
            for edge in edges:
                names = (
                    self._unknown_entries(word[edge.start : edge.end]) if unknown else [edge.entry]
                )
                pieces += [Piece(name, edge.start, edge.end) for name in names]
        return pieces

    @property
    def _keeps_bytes_apart(self) -> bool:
        return self.settings.precision == "float32" and self.settings.byte_fallback

    def _is_unknown(self, edge: Edge) -> bool:
        return edge.entry in (UNKNOWN, self.settings.unk_token)

    def _unknown_entries(self, text: str) -> Sequence[str | None]:
        if text in self._text_entries and self.settings.precision == "float64":
            return [text]
        names = [f"<0x{byte:02X}>" for byte in text.encode()]
        return names if self.settings.byte_fallback and self._entries >= set(names) else [None]
