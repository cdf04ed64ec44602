"""Defines the steps by which a model segments a word: prefixes, merges, or a lattice of segmentations."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from piecework._display import quoted
from piecework._messages import wrong_type
from piecework._settings.immutable import Record, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from piecework.tokenizer._explain.explanation import Span


class Symbol(NamedTuple):
    """Names a token of the vocabulary.

    Attributes:
        id: Its id.
        token: The token, as in the vocabulary.
        display_token: The token in readable form.
    """

    id: int
    token: str
    display_token: str

    def __str__(self) -> str:
        """Returns the token in readable form."""
        return quoted(self.display_token)


# WordPiece


@dataclass(frozen=True, slots=True)
class PrefixMatch(Record):
    """Describes one search for the longest token at a position of a word.

    Attributes:
        start: The position, in characters of the word.
        symbol: The longest token that is a prefix of the rest of the word; None if there is none.
        tried: The longer prefixes, which failed, from long to short: without a token all of them. Of many, the shortest.
        tried_count: The number of all prefixes that failed.
        special: Those among `tried` that are in the vocabulary, but are special tokens, which the text may not become.
    """

    start: int
    symbol: Symbol | None
    tried: tuple[str, ...]
    tried_count: int
    special: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordPieceSteps(Record):
    """Holds the searches for the longest match by which WordPiece segments a word.

    Attributes:
        matches: The searches, in order. The last has no token if it made the whole word unknown. Empty for a word that is
            longer than `max_input_chars_per_word`.
    """

    matches: tuple[PrefixMatch, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the searches as JSON values."""
        return {"type": "WordPiece", **Record.to_dict(self)}


# BPE


class PairMerge(NamedTuple):
    """Describes the merge of a pair.

    Attributes:
        left: The left symbol.
        right: The right symbol.
        merged: The merged symbol.
        rank: Its rank, from 0; of the pairs of a word, that of the lowest rank is merged first.
    """

    left: Symbol
    right: Symbol
    merged: Symbol
    rank: int


@dataclass(frozen=True, slots=True)
class BpeMerge(Record):
    """Describes one merge of a word.

    Attributes:
        index: The index of the left symbol among the symbols of the word before this merge.
        merge: The merge.
        blocked: The merges of the pairs before and after it, which this merge prevents, since it takes one of their symbols.
    """

    index: int
    merge: PairMerge
    blocked: tuple[PairMerge, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the index, the merge and what it blocks as JSON values."""
        values = Record.to_dict(self)
        return {**values.pop("merge"), **values}


class PlacedSymbol(NamedTuple):
    """Places a symbol in a word.

    Attributes:
        symbol: The symbol.
        span: Its start and end in characters of the word.
    """

    symbol: Symbol
    span: Span

    def to_dict(self) -> dict[str, Any]:
        """Returns the symbol and its span as JSON values."""
        return {"span": list(self.span), **self.symbol._asdict()}


class UnmergedPair(NamedTuple):
    """Holds two adjacent symbols that no merge joins.

    Attributes:
        left: The left symbol.
        right: The right symbol.
        token: Both as one token, if the vocabulary has it: only other pairs make it. Otherwise None.
    """

    left: Symbol
    right: Symbol
    token: str | None


@dataclass(frozen=True, slots=True)
class Replacement(Record):
    """Holds a symbol that merges but is not a token, and the tokens that it is split into again.

    Attributes:
        index: The index of the symbol after the last merge.
        symbol: The symbol.
        symbols: The symbols that replace it; empty if no merge makes it, so that it is unknown.
    """

    index: int
    symbol: Symbol
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class BpeSteps(Record):
    """Holds the merges of a word, in the order in which BPE applies them.

    Attributes:
        is_whole: Whether the word is a token and is taken without merging (`ignore_merges`).
        symbols: The symbols before the first merge.
        merges: The merges, in order.
        unmerged: The pairs that are adjacent after the last merge; no merge joins them.
        replacements: The symbols after the last merge that are not tokens, and what they are split into.
    """

    is_whole: bool
    symbols: tuple[PlacedSymbol, ...]
    merges: tuple[BpeMerge, ...]
    unmerged: tuple[UnmergedPair, ...]
    replacements: tuple[Replacement, ...] = ()

    def states(self) -> Iterator[tuple[Symbol, ...]]:
        """Iterates over the symbols of the word: before the first merge, and after each merge."""
        symbols = [placed.symbol for placed in self.symbols]
        yield tuple(symbols)
        for step in self.merges:
            symbols[step.index : step.index + 2] = [step.merge.merged]
            yield tuple(symbols)

    def to_dict(self) -> dict[str, Any]:
        """Returns the merges as JSON values."""
        return {"type": "BPE", **Record.to_dict(self)}


# Unigram, and WordPiece's likeliest segmentation


class LatticeEdge(NamedTuple):
    """Holds a token at a position of a word.

    Attributes:
        symbol: The token; None for a character that is no token.
        span: Its start and end in characters of the word.
        score: Its score.
        is_taken: Whether the segmentation contains it.
    """

    symbol: Symbol | None
    span: Span
    score: float
    is_taken: bool


class LatticeNode(NamedTuple):
    """Holds a position of a word that segmentations reach.

    Attributes:
        position: The position, in characters of the word.
        score: The score of the best segmentation of the word up to it.
    """

    position: int
    score: float


@dataclass(frozen=True, slots=True)
class Segmentation(Record):
    """Holds a segmentation of a word.

    Attributes:
        symbols: The tokens.
        score: The natural logarithm of its probability: the sum of its tokens' scores.
        share: Its fraction of the word's probability, which is the sum over all segmentations; from 0 to 1.
    """

    symbols: tuple[Symbol, ...]
    score: float
    share: float

    @property
    def tokens(self) -> tuple[str, ...]:
        """Returns the tokens, as in the vocabulary."""
        return tuple(symbol.token for symbol in self.symbols)

    def __str__(self) -> str:
        """Returns the tokens in readable form."""
        return " ".join(map(str, self.symbols))


@dataclass(frozen=True, slots=True)
class SegmentationLattice(Record):
    """Holds all segmentations of a word as a lattice, and the best ones.

    Attributes:
        nodes: The positions that segmentations reach, in order.
        edges: The tokens by their positions, in order of their starts, then of their ends.
        log_probability: The natural logarithm of the word's probability, summed over all segmentations.
        taken: The segmentation that the tokenizer returns.
        nbest: The best segmentations, best first, each with other tokens.
    """

    nodes: tuple[LatticeNode, ...]
    edges: tuple[LatticeEdge, ...]
    log_probability: float
    taken: Segmentation
    nbest: tuple[Segmentation, ...]

    @property
    def next(self) -> Segmentation | None:
        """Returns the best segmentation with other tokens than `taken`; None if there is none."""
        others = (each for each in self.nbest if each.symbols != self.taken.symbols)
        return next(others, None)

    def times_less_likely(self, other: Segmentation) -> float:
        """Returns how many times less likely than `taken` a segmentation is; 1 or more, and at most e**99."""
        if not isinstance(other, Segmentation):
            raise wrong_type("other", "a Segmentation", other)
        return exp(min(max(self.taken.score - other.score, 0.0), 99.0))

    def to_dict(self) -> dict[str, Any]:
        """Returns the lattice as JSON values."""
        return {"type": "lattice", **Record.to_dict(self)}


Steps = WordPieceSteps | BpeSteps | SegmentationLattice
"""How a model found the pieces of a word."""
