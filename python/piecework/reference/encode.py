"""Splitting one word by greedy longest match: how WordPiece is used once it is trained.

From the start of the word take the longest entry of the vocabulary that the word begins with; go on
from there with entries that carry the prefix. Nothing is ever taken back, and the order in which
the entries were learned plays no part: that is the whole difference from byte-pair encoding.

    vocabulary  b h p ##g ##n ##s ##u ##gs hu hug
    hugs        hug ##s          (though ##gs was learned, and would leave hu)
    bugs        b ##u ##gs
    bum         [UNK]            (b ##u, and then no entry continues with m)
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from piecework.reference.chance import SplitMix64

UNKNOWN_POLICIES = ("word", "run", "char")


class Piece(NamedTuple):
    """Gives one piece of a word: an entry of the vocabulary, or None where none matches.

    Args:
        entry: The entry as the vocabulary writes it.
        start: First character, counted in the word.
        end: One past the last.
    """

    entry: str | None
    start: int
    end: int


@dataclass(frozen=True)
class Splitter:
    """Gives the pieces of words under one vocabulary.

    Args:
        entries: The vocabulary; anything that can say whether it holds a string.
        prefix: What continuing entries begin with; it may be empty.
        unknown: What becomes of characters that no entry matches. `word`: the whole word is one
            unknown piece. `run` (note 004): each maximal run of them is one. `char` (note 002):
            each of them is one. After an unmatched character, continuing entries are looked for.
        max_input_chars_per_word: A longer word is one unknown piece under every policy; None sets
            no limit.
        longest: Length of the longest entry, in characters. Longer stretches need not be looked
            up; None looks them all up.
        dropout: The chance that an entry of more than one character is passed over (W21).

    Raises:
        ValueError: there is no such policy, or the chance is none.

    >>> vocabulary = set("b h p ##g ##n ##s ##u ##gs hu hug".split())
    >>> Splitter(vocabulary)("bugs")
    [Piece(entry='b', start=0, end=1), Piece(entry='##u', start=1, end=2), \
Piece(entry='##gs', start=2, end=4)]
    >>> [piece.entry for piece in Splitter(vocabulary, unknown="run")("xyus")]
    [None, '##u', '##s']
    """

    entries: Container[str]
    prefix: str = "##"
    unknown: str = "word"
    max_input_chars_per_word: int | None = 100
    longest: int | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.unknown not in UNKNOWN_POLICIES:
            raise ValueError(f"unknown={self.unknown!r}: expected one of {UNKNOWN_POLICIES}")
        if not 0 <= self.dropout <= 1:
            raise ValueError(f"dropout={self.dropout}: expected a number from 0 to 1")

    def __call__(self, word: str, generator: SplitMix64 | None = None) -> list[Piece]:
        """Splits a word.

        Source: greedy longest match as in BERT's tokenizer. There are no ties: of two entries that
        match at one place, one is longer. Cost: length of the word times length of the longest
        entry, in look-ups.

        Args:
            word: A normalized word.
            generator: Where dropout draws from.

        Returns:
            Its pieces from left to right; together they cover the word. An empty word has none.

        Raises:
            ValueError: there is dropout, and nothing to draw from.

        >>> [piece.entry for piece in Splitter({"a", "##b"}, unknown="char")("axyb")]
        ['a', None, None, '##b']
        """
        if self.dropout and generator is None:
            raise ValueError("dropout needs a seed")
        limit = self.max_input_chars_per_word
        if limit is not None and len(word) > limit:
            return [Piece(None, 0, len(word))]
        pieces: list[Piece] = []
        start = 0
        while start < len(word):
            piece = self._match(word, start, generator)
            if piece.entry is None and self.unknown == "word":
                return [Piece(None, 0, len(word))]
            if piece.entry is None and self.unknown == "run" and pieces and not pieces[-1].entry:
                piece = Piece(None, pieces.pop().start, piece.end)
            pieces.append(piece)
            start = piece.end
        return pieces

    def _match(self, word: str, start: int, generator: SplitMix64 | None) -> Piece:
        fits = self._fits(word, start)
        if generator and self.dropout:
            short_first = reversed(list(fits))
            fits = reversed([fit for fit in short_first if self._stays(fit, generator)])
        return next(fits, Piece(None, start, start + 1))

    def _fits(self, word: str, start: int) -> Iterator[Piece]:
        """Gives the entries that fit, long ones first."""
        prefix = self.prefix if start else ""
        reach = len(word) if self.longest is None else min(len(word), start + self.longest)
        for end in range(reach, start, -1):
            entry = prefix + word[start:end]
            if entry in self.entries:
                yield Piece(entry, start, end)

    def _stays(self, fit: Piece, generator: SplitMix64) -> bool:
        return fit.end == fit.start + 1 or not generator.drops(self.dropout)
