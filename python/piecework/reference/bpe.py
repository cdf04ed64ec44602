"""Byte-pair encoding: a word falls apart into characters, and neighbours merge, best pair first.

    merges: (l, o) (lo, w) (e, r)
    l o w e r  ->  lo w e r  ->  low e r  ->  low er

What the vocabulary says of the whole word counts for nothing here: `lower` may be an entry, and no
merge may reach it. Bytes are characters like any other; the pre-tokenizer writes them so.

Rules with numbers, such as B6, are those of `spec/bpe.md`.
"""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, Protocol

from piecework.reference.chance import SplitMix64
from piecework.reference.encode import Piece
from piecework.reference.floats import single

SUFFIX_STYLES = ("attached", "separate")


# Which pairs merge


class Made(NamedTuple):
    """Gives what a pair becomes, and its rank: the lowest goes first."""

    rank: int
    entry: str


class Merges(Protocol):
    """Gives what pairs become, and what an entry was."""

    def __call__(self, left: str, right: str) -> Made | None:
        """Gives what a pair becomes, if anything."""

    def halves(self, entry: str) -> tuple[str, str] | None:
        """Gives the two that an entry is split into again (B29), if it was merged."""


class Listed:
    """Gives merges that a list names (B1); the rank is the place in the list.

    Args:
        pairs: Left and right entries; of a pair that stands there twice the last counts.
        prefix: What the right entry begins with, and the merged one has not.
        entries: What must hold all three; None asks for nothing.

    Raises:
        ValueError: a right entry does not begin with the prefix, or one of the three is no entry.

    >>> Listed([("h", "##u"), ("hu", "##g")], "##")("hu", "##g")
    Made(rank=1, entry='hug')
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        prefix: str = "",
        entries: Container[str] | None = None,
    ) -> None:
        self.made: dict[tuple[str, str], Made] = {}
        self.first: dict[str, tuple[str, str]] = {}
        for rank, (left, right) in enumerate(pairs):
            if not right.startswith(prefix):
                raise ValueError(
                    f"merge {rank}: {right!r} does not begin with the prefix {prefix!r}"
                )
            made = Made(rank, left + right.removeprefix(prefix))
            for entry in (left, right, made.entry):
                if entries is not None and entry not in entries:
                    raise ValueError(f"merge {rank}: {entry!r} is no entry of the vocabulary")
            self.made[left, right] = made
            self.first.setdefault(made.entry, (left, right))

    def __call__(self, left: str, right: str) -> Made | None:  # noqa: D102
        return self.made.get((left, right))

    def halves(self, entry: str) -> tuple[str, str] | None:  # noqa: D102
        return self.first.get(entry)


class Implied:
    """Gives merges that follow from ranks (B2): any two neighbours that spell an entry with a rank.

    >>> merges = Implied({"ab": 1, "abc": 2})
    >>> merges("a", "bc"), merges("b", "c")
    (Made(rank=2, entry='abc'), None)
    """

    def __init__(self, ranks: Mapping[str, int]) -> None:
        self.ranks = ranks

    def __call__(self, left: str, right: str) -> Made | None:  # noqa: D102
        whole = left + right
        return Made(self.ranks[whole], whole) if whole in self.ranks else None

    def halves(self, entry: str) -> tuple[str, str] | None:
        """Gives the two symbols that an entry with a rank has without itself.

        >>> Implied({"bc": 0, "abc": 1, "xyz": 2}).halves("abc")
        ('a', 'bc')
        """
        others = Implied({other: rank for other, rank in self.ranks.items() if other != entry})
        match [part.entry for part in merged([Part(c, 1) for c in entry], others)]:
            case [left, right] if entry in self.ranks:
                return left, right
        return None


def recovered(ranks: Mapping[str, int]) -> list[tuple[str, str]]:
    """Lists the merges that ranks imply: of each entry, the two symbols it has without itself.

    Args:
        ranks: Entry -> rank; no rank twice.

    Returns:
        Pairs in the order of ranks; none for an entry that no merge makes.

    >>> recovered({"bc": 0, "abc": 1, "ax": 2, "xyz": 3})
    [('b', 'c'), ('a', 'bc'), ('a', 'x')]
    """
    implied = Implied(ranks)
    halves = (implied.halves(entry) for entry in sorted(ranks, key=lambda entry: ranks[entry]))
    return [pair for pair in halves if pair]


# Merging


class Part(NamedTuple):
    """Gives an entry at its place in a word, and how many bytes of the word it takes."""

    entry: str
    size: int


class Candidate(NamedTuple):
    """Gives a pair in the queue, which its rank orders, and then its place."""

    rank: int
    place: int
    left: Part
    right: Part
    entry: str


def merged(
    first: Sequence[Part],
    merges: Callable[[str, str], Made | None],
    drops: Callable[[], bool] = lambda: False,
) -> list[Part]:
    """Merges neighbours: the lowest rank first, and of equal ranks the leftmost (B6, B9).

    Args:
        first: The parts to begin with.
        merges: What a pair becomes, if anything.
        drops: Draws whether the next pair is dropped. A dropped pair is laid aside until another
            is not dropped.

    Returns:
        The parts that are left when nothing is left to merge. Cost: the merges, times the length.

    >>> parts = [Part(character, 1) for character in "lower"]
    >>> merges = Listed([("l", "o"), ("e", "r"), ("lo", "w")])
    >>> [part.entry for part in merged(parts, merges)]
    ['low', 'er']
    """
    parts: list[Part | None] = list(first)  # a part that was merged into its left one leaves None

    def candidates(*places: int | None) -> Iterator[Candidate]:
        for i, j in pairwise(places):
            if i is not None and j is not None:
                left, right = parts[i], parts[j]
                if left and right and (made := merges(left.entry, right.entry)):
                    yield Candidate(made.rank, i, left, right, made.entry)

    queue = list(candidates(*range(len(parts))))
    heapify(queue)
    aside: list[Candidate] = []
    while queue:
        top = heappop(queue)
        if drops():
            aside.append(top)
            continue
        while aside:
            heappush(queue, aside.pop())
        place = _next(parts, top.place)
        if parts[top.place] is not top.left or place is None or parts[place] is not top.right:
            continue  # outdated: one of the two has been merged since
        parts[top.place] = Part(top.entry, top.left.size + top.right.size)
        parts[place] = None
        beside = _last(parts, top.place), top.place, _next(parts, place)
        for candidate in candidates(*beside):
            heappush(queue, candidate)
    return [part for part in parts if part]


def _next(parts: Sequence[Part | None], place: int) -> int | None:
    return next((i for i in range(place + 1, len(parts)) if parts[i]), None)


def _last(parts: Sequence[Part | None], place: int) -> int | None:
    return next((i for i in range(place - 1, -1, -1) if parts[i]), None)


# Words


@dataclass(frozen=True)
class Settings:
    """Gives how a word is split, merges apart.

    Args:
        unk_token: Stands for characters that are no entries; None lets them vanish.
        continuing_subword_prefix: What entries inside a word begin with.
        end_of_word_suffix: What entries at the end of a word end with.
        suffix_style: `attached` to the last character, or `separate`, a character of its own.
        fuse_unk: Unknown characters side by side are one unknown token.
        byte_fallback: Unknown characters become entries such as `<0xE4>`, where there are such.
        ignore_merges: A word that is an entry is that entry.
        dropout: The chance that a merge is dropped; None is 0.
        unused: Entries that are split again, or unknown.

    Raises:
        ValueError: a setting is impossible.

    >>> Settings(dropout=1.5)
    Traceback (most recent call last):
    ValueError: dropout=1.5: expected a number from 0 to 1, or None
    """

    unk_token: str | None = None
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    suffix_style: str = "attached"
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False
    dropout: float | None = None
    unused: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.dropout is not None and not 0 <= self.dropout <= 1:
            raise ValueError(f"dropout={self.dropout}: expected a number from 0 to 1, or None")
        if self.suffix_style not in SUFFIX_STYLES:
            raise ValueError(f"suffix_style={self.suffix_style!r}: expected one of {SUFFIX_STYLES}")
        if self.unused and self.continuing_subword_prefix:
            raise ValueError("unused entries are split as they are written; expected no prefix")

    @property
    def chance(self) -> float:
        """Gives the chance that a merge is dropped, as a 32-bit float.

        >>> Settings(dropout=0.1).chance, Settings().chance
        (0.10000000149011612, 0.0)
        """
        return single(self.dropout or 0.0)


class Encoder:
    """Gives the pieces of a word.

    Args:
        entries: The entries that text may become.
        merges: Which pairs merge.
        settings: Everything else.

    >>> encode = Encoder(["l", "o", "lo", "w</w>"], Listed([("l", "o")]), Settings(None, "", "</w>"))
    >>> encode("low")
    [Piece(entry='lo', start=0, end=2), Piece(entry='w</w>', start=2, end=3)]
    """

    def __init__(self, entries: Collection[str], merges: Merges, settings: Settings) -> None:
        self.entries = frozenset(entries)
        self.settings = settings
        self._merges = merges

    def __call__(self, word: str, generator: SplitMix64 | None = None) -> list[Piece]:
        """Splits a word.

        Args:
            word: A word that is not empty.
            generator: Where dropout draws from.

        Returns:
            Pieces from left to right, with spans in characters; an unknown one has the unknown token
            for its entry.

        Raises:
            ValueError: there is dropout, and nothing to draw from.

        >>> Encoder("ab", Listed([("a", "b")]), Settings(unk_token="?"))("bc")
        [Piece(entry='b', start=0, end=1), Piece(entry='?', start=1, end=2)]
        """
        chance = self.settings.chance
        if chance and generator is None:
            raise ValueError("dropout needs a seed")
        known = self.entries - self.settings.unused
        if self.settings.ignore_merges and not chance and word in known:
            return [Piece(word, 0, len(word))]
        first = list(self._first(word))
        if generator and chance:
            parts = merged(first, self._made, lambda: generator.drops(chance))
        else:
            parts = merged(first, self._made)
        return _spans(word, self._used(parts) if self.settings.unused else parts)

    def _used(self, parts: Sequence[Part]) -> list[Part]:
        """Splits unused entries, and makes those unknown that no merge makes (B29)."""
        used: list[Part] = []
        for part in parts:
            entries = self._split(part.entry)
            for split in _given_out(part.size, [(e, len(e.encode())) for e in entries]):
                for known in self._known(split):
                    is_unknown = known.entry == self.settings.unk_token
                    if (
                        is_unknown
                        and self.settings.fuse_unk
                        and used
                        and used[-1].entry == known.entry
                    ):
                        known = Part(known.entry, used.pop().size + known.size)  # noqa: PLW2901
                    used.append(known)
        return used

    def _split(self, entry: str) -> list[str]:
        halves = self._merges.halves(entry) if entry in self.settings.unused else None
        if halves is None or "" in halves:
            return [entry]
        return [*self._split(halves[0]), *self._split(halves[1])]

    def _known(self, part: Part) -> list[Part]:
        if part.entry not in self.settings.unused:
            return [part]
        if self.settings.byte_fallback and self.entries.issuperset(_bytes(part.entry)):
            return _given_out(part.size, [(entry, 1) for entry in _bytes(part.entry)])
        unknown = self.settings.unk_token
        return [] if unknown is None else [Part(unknown, part.size)]

    def _made(self, left: str, right: str) -> Made | None:
        made = self._merges(left, right)
        return made if made and made.entry in self.entries else None

    def _first(self, word: str) -> Iterator[Part]:
        """Gives the parts to begin with (B3, B4, B5)."""
        unknown: Part | None = None  # what is held back
        for text, size in self._characters(word):
            if text in self.entries:
                if unknown:
                    yield unknown
                    unknown = None
                yield Part(text, size)
            elif self.settings.byte_fallback and self.entries.issuperset(_bytes(text)):
                yield from (Part(entry, 1) for entry in _bytes(text))
            elif self.settings.unk_token is not None:
                if unknown and not self.settings.fuse_unk:
                    yield unknown
                    unknown = None
                before = unknown.size if unknown else 0
                unknown = Part(self.settings.unk_token, before + size)
        if unknown:
            yield unknown

    def _characters(self, word: str) -> Iterator[tuple[str, int]]:
        """Gives each character as it is looked up, and the bytes that it takes."""
        prefix, suffix = self.settings.continuing_subword_prefix, self.settings.end_of_word_suffix
        separate = self.settings.suffix_style == "separate"
        for i, character in enumerate(word):
            before = prefix if i else ""
            behind = suffix if i == len(word) - 1 and not separate else ""
            yield before + character + behind, len(character.encode())
        if separate and suffix:
            yield prefix + suffix, 0


def _given_out(size: int, entries: Sequence[tuple[str, int]]) -> list[Part]:
    """Gives out bytes to entries of some lengths, and the rest to the last."""
    given: list[Part] = []
    for entry, length in entries[:-1]:
        given.append(Part(entry, min(length, size)))
        size -= given[-1].size
    return [*given, Part(entries[-1][0], size)]


def _bytes(text: str) -> list[str]:
    return [f"<0x{byte:02X}>" for byte in text.encode()]


def _spans(word: str, parts: Sequence[Part]) -> list[Piece]:
    """Gives out the bytes of the word, in order, and says in which characters they lie (B8)."""
    inside = [i for i, character in enumerate(word) for _ in character.encode()]
    last, pieces, begin = len(inside) - 1, [], 0
    for entry, size in parts:
        end = begin + size
        first, final = (begin, end - 1) if size else (last, last)
        pieces.append(Piece(entry, inside[min(first, last)], inside[min(final, last)] + 1))
        begin = end
    return pieces
