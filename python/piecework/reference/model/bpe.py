"""Byte-pair encoding: a word is split into characters, and adjacent symbols merge by rank.

    merges: (l, o) (lo, w) (e, r)
    l o w e r  ->  lo w e r  ->  low e r  ->  low er

Whether the whole word is an entry does not matter: `lower` may be an entry that no merge reaches.
Bytes are characters like any other; the pre-tokenizer writes them as such.

Source: Sennrich, Haddow and Birch 2016. Rules with numbers, such as B6, are those of `spec/bpe.md`.
"""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple, Protocol

from piecework.reference.model.wordpiece import Piece
from piecework.reference.numbers.floats import round_to_f32
from piecework.reference.numbers.prng import SplitMix64

SUFFIX_STYLES = ("attached", "separate")


# Merges


class MergeResult(NamedTuple):
    """Holds the entry that a pair becomes, and the merge's rank; the lowest rank goes first."""

    rank: int
    entry: str


class Merges(Protocol):
    """Maps a pair to its merged entry, and an entry to the pair that it was merged from."""

    def __call__(self, left: str, right: str) -> MergeResult | None:
        """Returns the result of merging a pair, or None."""

    def split_entry(self, entry: str) -> tuple[str, str] | None:
        """Returns the pair that an entry is split into (B29), or None if no merge makes it."""


class ListedMerges:
    """Provides merges from a list (B1); the rank is the index in the list.

    Args:
        pairs: Left and right entries; of a repeated pair the last one counts.
        prefix: The prefix of right entries, which the merged entry drops.
        entries: The entries that both parts and the result must be in; None checks nothing.

    Raises:
        ValueError: a right entry lacks the prefix, or one of the three is not an entry.

    >>> ListedMerges([("h", "##u"), ("hu", "##g")], "##")("hu", "##g")
    MergeResult(rank=1, entry='hug')
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        prefix: str = "",
        entries: Container[str] | None = None,
    ) -> None:
        self.results: dict[tuple[str, str], MergeResult] = {}
        self.splits: dict[str, tuple[str, str]] = {}
        for rank, (left, right) in enumerate(pairs):
            if not right.startswith(prefix):
                raise ValueError(
                    f"merge {rank}: {right!r} does not begin with the prefix {prefix!r}"
                )
            result = MergeResult(rank, left + right.removeprefix(prefix))
            for entry in (left, right, result.entry):
                if entries is not None and entry not in entries:
                    raise ValueError(
                        f"merge {rank}: {entry!r} is not in the vocabulary; "
                        "add it or remove the merge"
                    )
            self.results[left, right] = result
            self.splits.setdefault(result.entry, (left, right))

    def __call__(self, left: str, right: str) -> MergeResult | None:  # noqa: D102
        return self.results.get((left, right))

    def split_entry(self, entry: str) -> tuple[str, str] | None:  # noqa: D102
        return self.splits.get(entry)


class ImpliedMerges:
    """Provides the merges that ranks imply (B2): adjacent pairs that spell an entry with a rank.

    >>> merges = ImpliedMerges({"ab": 1, "abc": 2})
    >>> merges("a", "bc"), merges("b", "c")
    (MergeResult(rank=2, entry='abc'), None)
    """

    def __init__(self, ranks: Mapping[str, int]) -> None:
        self.ranks = ranks

    def __call__(self, left: str, right: str) -> MergeResult | None:  # noqa: D102
        whole = left + right
        return MergeResult(self.ranks[whole], whole) if whole in self.ranks else None

    def split_entry(self, entry: str) -> tuple[str, str] | None:
        """Returns the two symbols that an entry is encoded as without itself.

        >>> ImpliedMerges({"bc": 0, "abc": 1, "xyz": 2}).split_entry("abc")
        ('a', 'bc')
        """
        others = ImpliedMerges(
            {other: rank for other, rank in self.ranks.items() if other != entry}
        )
        match [part.entry for part in merge_symbols([WordSymbol(c, 1) for c in entry], others)]:
            case [left, right] if entry in self.ranks:
                return left, right
        return None


def infer_merges(ranks: Mapping[str, int]) -> list[tuple[str, str]]:
    """Returns the merges that ranks imply: for each entry, its two symbols without itself.

    Args:
        ranks: Entry -> rank; no rank twice.

    Returns:
        Pairs in the order of ranks; none for an entry that no merge makes. Cost: every entry is
        encoded once.

    >>> infer_merges({"bc": 0, "abc": 1, "ax": 2, "xyz": 3})
    [('b', 'c'), ('a', 'bc'), ('a', 'x')]
    """
    implied = ImpliedMerges(ranks)
    pairs = (implied.split_entry(entry) for entry in sorted(ranks, key=lambda entry: ranks[entry]))
    return [pair for pair in pairs if pair]


# Merging


class WordSymbol(NamedTuple):
    """Holds an entry within a word, and the number of bytes of the word that it covers."""

    entry: str
    size: int


class QueuedPair(NamedTuple):
    """Holds a pair in the queue, ordered by rank, then by position."""

    rank: int
    position: int
    left: WordSymbol
    right: WordSymbol
    entry: str


def merge_symbols(
    first: Sequence[WordSymbol],
    merges: Callable[[str, str], MergeResult | None],
    is_dropped: Callable[[], bool] = lambda: False,
) -> list[WordSymbol]:
    """Merges adjacent symbols: the lowest rank first, and of equal ranks the leftmost (B6, B9).

    Args:
        first: The symbols to begin with.
        merges: Returns the result of merging a pair, or None.
        is_dropped: Draws whether the next pair is dropped. A dropped pair is skipped until another
            is not dropped.

    Returns:
        The symbols that are left when no pair merges. Cost: the number of merges times the length.

    >>> parts = [WordSymbol(character, 1) for character in "lower"]
    >>> merges = ListedMerges([("l", "o"), ("e", "r"), ("lo", "w")])
    >>> [part.entry for part in merge_symbols(parts, merges)]
    ['low', 'er']
    """
    # A symbol that was merged into its left neighbour leaves None.
    parts: list[WordSymbol | None] = list(first)

    def candidates(*positions: int | None) -> Iterator[QueuedPair]:
        for i, j in pairwise(positions):
            if i is not None and j is not None:
                left, right = parts[i], parts[j]
                if left and right and (result := merges(left.entry, right.entry)):
                    yield QueuedPair(result.rank, i, left, right, result.entry)

    queue = list(candidates(*range(len(parts))))
    heapify(queue)
    skipped: list[QueuedPair] = []
    while queue:
        top = heappop(queue)
        if is_dropped():
            skipped.append(top)
            continue
        while skipped:
            heappush(queue, skipped.pop())
        index = _next(parts, top.position)
        if parts[top.position] is not top.left or index is None or parts[index] is not top.right:
            continue  # outdated: one of the two has been merged since
        parts[top.position] = WordSymbol(top.entry, top.left.size + top.right.size)
        parts[index] = None
        neighbours = _previous(parts, top.position), top.position, _next(parts, index)
        for candidate in candidates(*neighbours):
            heappush(queue, candidate)
    return [part for part in parts if part]


def _next(parts: Sequence[WordSymbol | None], index: int) -> int | None:
    return next((i for i in range(index + 1, len(parts)) if parts[i]), None)


def _previous(parts: Sequence[WordSymbol | None], index: int) -> int | None:
    return next((i for i in range(index - 1, -1, -1) if parts[i]), None)


# Encoding words


@dataclass(frozen=True)
class BpeSettings:
    """Holds the settings of BPE encoding, apart from the merges.

    Args:
        unk_token: Token for characters that are not entries; None drops them.
        continuing_subword_prefix: Prefix of entries inside a word.
        end_of_word_suffix: Suffix of entries at the end of a word.
        suffix_style: `attached` to the last character, or `separate`, a character of its own.
        fuse_unk: Merge adjacent unknown characters into one unknown token.
        byte_fallback: Encode unknown characters as entries such as `<0xE4>`, if these exist.
        ignore_merges: Encode a word that is an entry as that entry.
        dropout: Probability of dropping a merge; None is 0.
        unused: Entries that are split again, or become unknown.

    Raises:
        ValueError: a setting is invalid.

    >>> BpeSettings(dropout=1.5)
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
            raise ValueError(
                "unused: not supported with continuing_subword_prefix; expected no prefix"
            )

    @property
    def dropout_probability(self) -> float:
        """Returns the probability of dropping a merge, as a 32-bit float.

        >>> BpeSettings(dropout=0.1).dropout_probability, BpeSettings().dropout_probability
        (0.10000000149011612, 0.0)
        """
        return round_to_f32(self.dropout or 0.0)


class BpeEncoder:
    """Encodes words as pieces by merging.

    Args:
        entries: The entries that text may become.
        merges: The merges.
        settings: All other settings.

    >>> settings = BpeSettings(end_of_word_suffix="</w>")
    >>> encode = BpeEncoder(["l", "o", "lo", "w</w>"], ListedMerges([("l", "o")]), settings)
    >>> encode("low")
    [Piece(entry='lo', start=0, end=2), Piece(entry='w</w>', start=2, end=3)]
    """

    def __init__(self, entries: Collection[str], merges: Merges, settings: BpeSettings) -> None:
        self.entries = frozenset(entries)
        self.settings = settings
        self._merges = merges

    def __call__(self, word: str, generator: SplitMix64 | None = None) -> list[Piece]:
        """Encodes a word.

        Args:
            word: A word that is not empty.
            generator: The random numbers for dropout.

        Returns:
            Pieces from left to right, with spans in characters; the entry of an unknown piece is
            the unknown token.

        Raises:
            ValueError: there is dropout and no generator.

        >>> BpeEncoder("ab", ListedMerges([("a", "b")]), BpeSettings(unk_token="?"))("bc")
        [Piece(entry='b', start=0, end=1), Piece(entry='?', start=1, end=2)]
        """
        dropout_probability = self.settings.dropout_probability
        if dropout_probability and generator is None:
            raise ValueError(f"dropout={self.settings.dropout}: requires a generator; pass one")
        known = self.entries - self.settings.unused
        whole = (
            known & self._merges.ranks.keys() if isinstance(self._merges, ImpliedMerges) else known
        )
        if self.settings.ignore_merges and not dropout_probability and word in whole:
            return [Piece(word, 0, len(word))]
        first = list(self._initial_symbols(word))
        if generator and dropout_probability:
            parts = merge_symbols(
                first, self._merge, lambda: generator.draw_bool(dropout_probability)
            )
        else:
            parts = merge_symbols(first, self._merge)
        return _locate(word, self._split_unused(parts) if self.settings.unused else parts)

    def _split_unused(self, parts: Sequence[WordSymbol]) -> list[WordSymbol]:
        """Splits unused entries, and makes those unknown that no merge makes (B29)."""
        used: list[WordSymbol] = []
        for part in parts:
            entries = self._split_entry(part.entry)
            for split in _distribute_bytes(part.size, [(e, len(e.encode())) for e in entries]):
                for known in self._replace_unused(split):
                    is_unknown = known.entry == self.settings.unk_token
                    if (
                        is_unknown
                        and self.settings.fuse_unk
                        and used
                        and used[-1].entry == known.entry
                    ):
                        known = WordSymbol(known.entry, used.pop().size + known.size)  # noqa: PLW2901
                    used.append(known)
        return used

    def _split_entry(self, entry: str) -> list[str]:
        pair = self._merges.split_entry(entry) if entry in self.settings.unused else None
        if pair is None or "" in pair:
            return [entry]
        return [*self._split_entry(pair[0]), *self._split_entry(pair[1])]

    def _replace_unused(self, part: WordSymbol) -> list[WordSymbol]:
        if part.entry not in self.settings.unused:
            return [part]
        if self.settings.byte_fallback and self.entries.issuperset(
            byte_entries(part.entry.encode())
        ):
            return _distribute_bytes(
                part.size, [(entry, 1) for entry in byte_entries(part.entry.encode())]
            )
        unknown = self.settings.unk_token
        return [] if unknown is None else [WordSymbol(unknown, part.size)]

    def _merge(self, left: str, right: str) -> MergeResult | None:
        result = self._merges(left, right)
        return result if result and result.entry in self.entries else None

    def _initial_symbols(self, word: str) -> Iterator[WordSymbol]:
        """Yields the symbols to begin with (B3, B4, B5)."""
        unknown: WordSymbol | None = None  # not yet emitted: the next character may fuse with it
        for text, size in self._spell(word):
            if text in self.entries:
                if unknown:
                    yield unknown
                    unknown = None
                yield WordSymbol(text, size)
            elif self.settings.byte_fallback and self.entries.issuperset(
                byte_entries(text.encode())
            ):
                yield from (WordSymbol(entry, 1) for entry in byte_entries(text.encode()))
            elif self.settings.unk_token is not None:
                if unknown and not self.settings.fuse_unk:
                    yield unknown
                    unknown = None
                before = unknown.size if unknown else 0
                unknown = WordSymbol(self.settings.unk_token, before + size)
        if unknown:
            yield unknown

    def _spell(self, word: str) -> Iterator[tuple[str, int]]:
        """Yields each character as it is looked up, and its number of bytes."""
        prefix, suffix = self.settings.continuing_subword_prefix, self.settings.end_of_word_suffix
        separate = self.settings.suffix_style == "separate"
        for i, character in enumerate(word):
            before = prefix if i else ""
            after = suffix if i == len(word) - 1 and not separate else ""
            yield before + character + after, len(character.encode())
        if separate and suffix:
            yield prefix + suffix, 0


def _distribute_bytes(size: int, entries: Sequence[tuple[str, int]]) -> list[WordSymbol]:
    """Distributes bytes over entries by their lengths; the last entry gets the rest."""
    given: list[WordSymbol] = []
    for entry, length in entries[:-1]:
        given.append(WordSymbol(entry, min(length, size)))
        size -= given[-1].size
    return [*given, WordSymbol(entries[-1][0], size)]


def byte_entries(data: bytes) -> list[str]:
    """Returns the entries of bytes.

    >>> byte_entries("é".encode())
    ['<0xC3>', '<0xA9>']
    """
    return [f"<0x{byte:02X}>" for byte in data]


def _locate(word: str, parts: Sequence[WordSymbol]) -> list[Piece]:
    """Returns pieces with the characters that the bytes of each symbol lie in, in order (B8)."""
    inside = [i for i, character in enumerate(word) for _ in character.encode()]
    last, pieces, begin = len(inside) - 1, [], 0
    for entry, size in parts:
        end = begin + size
        first, final = (begin, end - 1) if size else (last, last)
        pieces.append(Piece(entry, inside[min(first, last)], inside[min(final, last)] + 1))
        begin = end
    return pieces
