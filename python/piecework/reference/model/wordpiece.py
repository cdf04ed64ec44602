"""WordPiece: a word is split by greedy longest match.

From the start of the word take the longest entry of the vocabulary that is a prefix of it; continue
from there with entries that carry the continuing prefix. No match is revised, and the order in
which the entries were learned does not matter: this is the difference from byte-pair encoding.

    vocabulary  b h p ##g ##n ##s ##u ##gs hu hug
    hugs        hug ##s          (not hu ##gs: hug is longer)
    bugs        b ##u ##gs
    bum         [UNK]            (b ##u, and then no entry continues with m)
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from piecework.reference.numbers.prng import SplitMix64

UNKNOWN_POLICIES = ("word", "run", "char")


class Piece(NamedTuple):
    """Holds a subword of a word: an entry of the vocabulary, or None where no entry matches.

    Args:
        entry: The entry as the vocabulary writes it.
        start: First character, in characters of the word.
        end: One past the last character.
    """

    entry: str | None
    start: int
    end: int


@dataclass(frozen=True)
class LongestMatchEncoder:
    """Encodes words as pieces by greedy longest match.

    Args:
        entries: The vocabulary: any collection of strings, best a set.
        prefix: Prefix of continuing entries; it may be empty.
        unknown: What happens to characters that no entry matches. `word`: the whole word is one
            unknown piece, as in BERT. `run`: each maximal run of them is one. `char`: each of them
            is one. After an unmatched character, continuing entries are looked up.
        max_input_chars_per_word: A longer word is one unknown piece under every policy; None sets
            no limit.
        longest: Length of the longest entry, in characters, which limits look-ups; None looks up
            every substring.
        dropout: Probability of skipping an entry of more than one character (W21).

    Raises:
        ValueError: the policy is unknown, or the probability is invalid.

    >>> vocabulary = set("b h p ##g ##n ##s ##u ##gs hu hug".split())
    >>> LongestMatchEncoder(vocabulary)("bugs")
    [Piece(entry='b', start=0, end=1), Piece(entry='##u', start=1, end=2), \
    Piece(entry='##gs', start=2, end=4)]
    >>> [piece.entry for piece in LongestMatchEncoder(vocabulary, unknown="run")("xyus")]
    [None, '##u', '##s']
    """

    entries: Collection[str]
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
        """Encodes a word.

        Source: greedy longest match as in BERT's tokenizer. There are no ties: of two entries that
        match at one position, one is longer. Cost: length of the word times length of the longest
        entry, in look-ups.

        Args:
            word: A normalized word.
            generator: The random numbers for dropout.

        Returns:
            Pieces from left to right; together they cover the word. An empty word has none.

        Raises:
            ValueError: there is dropout and no generator.

        >>> [piece.entry for piece in LongestMatchEncoder({"a", "##b"}, unknown="char")("axyb")]
        ['a', None, None, '##b']
        """
        if self.dropout and generator is None:
            raise ValueError(f"dropout={self.dropout}: requires a generator; pass one")
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
        matches = self._matching_entries(word, start)
        if generator and self.dropout:
            short_first = reversed(list(matches))
            matches = reversed(
                [match for match in short_first if self._survives_dropout(match, generator)]
            )
        return next(matches, Piece(None, start, start + 1))

    def _matching_entries(self, word: str, start: int) -> Iterator[Piece]:
        """Yields the entries that match at a position, longest first."""
        prefix = self.prefix if start else ""
        last = len(word) if self.longest is None else min(len(word), start + self.longest)
        for end in range(last, start, -1):
            entry = prefix + word[start:end]
            if entry in self.entries:
                yield Piece(entry, start, end)

    def _survives_dropout(self, match: Piece, generator: SplitMix64) -> bool:
        return match.end == match.start + 1 or not generator.draw_bool(self.dropout)
