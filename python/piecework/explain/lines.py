"""Writes explanations as lines of text, for a terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from piecework.display import abridged, quoted
from piecework.explain.lineage import merge_lines
from piecework.explain.steps import BpeSteps, SegmentationLattice, WordPieceSteps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework.explain.explanation import Explanation, Piece, Word
    from piecework.explain.steps import PairMerge, PrefixMatch, Segmentation, Symbol, UnmergedPair

__all__ = ["head", "lines"]

_MAX_LINES = 2000
"""The maximum number of lines for the merges of a word."""
_MAX_PREFIXES = 8
"""The maximum number of failed prefixes that are shown."""
_MAX_SYMBOLS = 40
"""The maximum number of symbols of a line, and of the positions of a lattice."""
_MAX_BYTES = 16
"""The maximum number of bytes and code points of a piece."""
_LARGEST_RATIO = 1e6
"""The largest ratio of probabilities that is written as a number."""
_DESCRIPTIONS = {
    "special": "a special token",
    "added": "an added token",
    "word": "a word of the vocabulary",
    "byte": "a byte of a character that is not in the vocabulary",
    "alphabet": "a character of the alphabet",
    "symbol": "a user-defined symbol",
    "vocabulary": "its merges are unknown",
}
"""The descriptions of pieces that no merge created, by kind."""


def head(explanation: Explanation) -> str:
    """Returns the text and its pieces."""
    pieces = _joined(piece.display_token for piece in explanation.pieces)
    return f"{abridged(explanation.text)} -> {pieces}"


def lines(explanation: Explanation) -> Iterator[str]:
    """Iterates over the lines of an explanation."""
    yield head(explanation)
    if explanation.normalized.text != explanation.text:
        yield f"  normalized: {quoted(abridged(explanation.normalized.text))}"
    has_words = len(explanation.words) + explanation.words_left_out > 1
    for word in explanation.words:
        if has_words:
            start, end = word.offsets
            pieces = _joined(piece.display_token for piece in word.pieces)
            yield f"  {quoted(abridged(word.display_text))} ({start}-{end}) -> {pieces}"
        for line in _word(word):
            yield f"{'    ' if has_words else '  '}{line}"
    if explanation.words_left_out:
        yield f"  and {explanation.words_left_out:,} other words are left out"


def _joined(tokens: Iterable[str]) -> str:
    """Returns tokens in readable form, in quotes where necessary."""
    shown = [quoted(abridged(token)) for token in tokens]
    more = [f"… ({len(shown) - _MAX_SYMBOLS:,} more)"] if len(shown) > _MAX_SYMBOLS else []
    return " ".join([*shown[:_MAX_SYMBOLS], *more])


def _word(word: Word) -> Iterator[str]:
    steps = word.steps
    if isinstance(steps, BpeSteps):
        yield from _merges(steps)
    matches = {match.start: match for match in _matches(steps)}
    for piece in word.pieces:
        match = matches.get(piece.span[0]) if piece.kind != "unknown" else None
        yield from _piece(piece, match, has_tree=not isinstance(steps, BpeSteps))
        if piece.kind == "unknown" and (found := _found(steps, piece)):
            yield f"  found before: {_symbols(found)}"
    if word.pieces_left_out:
        yield f"and {word.pieces_left_out:,} more pieces, which max_characters leaves out"
    if isinstance(steps, SegmentationLattice):
        yield from _lattice(steps)


def _matches(steps: object) -> Sequence[PrefixMatch]:
    return steps.matches if isinstance(steps, WordPieceSteps) else ()


def _found(steps: object, piece: Piece) -> list[Symbol]:
    """Returns the tokens that were found in an unknown piece before the character that made it unknown."""
    return [
        match.symbol
        for match in _matches(steps)
        if match.symbol and piece.span[0] <= match.start < piece.span[1]
    ]


# Pieces


def _piece(piece: Piece, match: PrefixMatch | None, *, has_tree: bool) -> Iterator[str]:
    notes = [_tried(match)] if match and match.tried else []
    if piece.score is not None:
        notes.append(f"score {piece.score:.6g}")
    notes.append(piece.reason if piece.kind == "unknown" else _DESCRIPTIONS.get(piece.kind, ""))
    note = "; ".join(filter(None, notes))
    token = quoted(abridged(piece.display_token))
    yield f"{token} ({_facts(piece)}){': ' if note else ''}{note}"
    if has_tree and piece.lineage:
        for line in merge_lines(piece.lineage):
            yield f"  {line}"


def _facts(piece: Piece) -> str:
    """Returns the id and the place of a piece; also bytes and code points, if its text alone does not say what it is."""
    start, end = piece.offsets
    facts = [f"id {piece.id}", f"{start}-{end}"]
    if not _is_plain(piece):
        facts.append(f"bytes {_few(piece.bytes.hex(' ').upper().split())}")
        facts.append(_few(piece.code_points))
    return ", ".join(filter(None, facts))


def _is_plain(piece: Piece) -> bool:
    """Returns whether a piece consists of whole characters that are letters, digits, metaspaces or printable ASCII."""
    try:
        piece.bytes.decode()
    except UnicodeDecodeError:
        return False
    return all(c.isalnum() or c in " ▁" or "!" <= c <= "~" for c in piece.text)


def _few(parts: Sequence[str]) -> str:
    more = f" … ({len(parts) - _MAX_BYTES:,} more)" if len(parts) > _MAX_BYTES else ""
    return " ".join(parts[:_MAX_BYTES]) + more


def _tried(match: PrefixMatch) -> str:
    """Returns the longer prefixes that failed."""
    shown = ", ".join(map(abridged, match.tried[:_MAX_PREFIXES]))
    special = (
        f"; {', '.join(map(abridged, match.special[:_MAX_PREFIXES]))}: a special token"
        if match.special
        else ""
    )
    if match.tried_count > _MAX_PREFIXES:
        rest = match.tried_count - min(len(match.tried), _MAX_PREFIXES)
        return f"tried {shown} and {rest:,} more, which are not in the vocabulary{special}"
    verb = "is" if match.tried_count == 1 else "are"
    return f"tried {shown}, which {verb} not in the vocabulary{special}"


# Merges


def _merges(steps: BpeSteps) -> Iterator[str]:
    """Iterates over the merges in order, with the symbols after each."""
    if steps.is_whole:
        yield "the whole word is a token, so nothing is merged (ignore_merges)"
        return
    if len(steps.symbols) > 1:
        yield f"symbols: {_symbols([placed.symbol for placed in steps.symbols])}"
    states = steps.states()
    next(states)
    for number, (step, state) in enumerate(zip(steps.merges, states, strict=True)):
        if number == _MAX_LINES:
            yield f"and {len(steps.merges) - number:,} more merges"
            break
        blocked = f"; blocks {', '.join(map(_pair, step.blocked))}" if step.blocked else ""
        merged = f"{step.merge.left} + {step.merge.right} = {step.merge.merged}"
        yield f"{merged} (merge {step.merge.rank + 1}): {_symbols(state)}{blocked}"
    if steps.unmerged:
        pairs = ", ".join(map(_unmerged, steps.unmerged[:_MAX_SYMBOLS]))
        more = len(steps.unmerged) - _MAX_SYMBOLS
        yield f"no merge joins {pairs}{f' and {more:,} more pairs' if more > 0 else ''}"
    for replacement in steps.replacements[:_MAX_SYMBOLS]:
        yield f"{replacement.symbol} is no token: {_symbols(replacement.symbols) or 'unknown'}"


def _unmerged(pair: UnmergedPair) -> str:
    note = "" if pair.token is None else f" (other pairs make {abridged(pair.token)})"
    return f"{pair.left} + {pair.right}{note}"


def _symbols(symbols: Sequence[Symbol]) -> str:
    return _joined(symbol.display_token for symbol in symbols)


def _pair(merge: PairMerge) -> str:
    return f"{merge.left} + {merge.right} (merge {merge.rank + 1})"


# Lattices


def _lattice(lattice: SegmentationLattice) -> Iterator[str]:
    """Iterates over the pieces at each position, and over the best segmentations."""
    taken = lattice.taken
    if lattice.next is None:
        yield f"total score {taken.score:.6g}; no other segmentation"
        return
    yield "pieces that begin at each character, with scores; * is taken:"
    rows = [(start, list(edges)) for start, edges in groupby(lattice.edges, lambda e: e.span[0])]
    for start, edges in rows[:_MAX_SYMBOLS]:
        pieces = (
            f"{'*' if edge.is_taken else ''}{edge.symbol or 'unknown'} {edge.score:.6g}"
            for edge in edges
        )
        yield f"  {start}: {', '.join(pieces)}"
    if len(rows) > _MAX_SYMBOLS:
        yield f"  and {len(rows) - _MAX_SYMBOLS:,} more characters"
    yield f"total score {taken.score:.6g}, {taken.share:.1%} of the word's probability"
    for segmentation in lattice.nbest:
        if segmentation.symbols != taken.symbols:
            yield f"  next best {_segmentation(lattice, segmentation)}"


def _segmentation(lattice: SegmentationLattice, other: Segmentation) -> str:
    """Returns another segmentation, and how much less likely it is."""
    distance = lattice.taken.score - other.score
    times = lattice.times_less_likely(other)
    if distance <= 0:
        ratio = "equally likely"
    elif times < _LARGEST_RATIO:
        ratio = f"{times:.3g} times less likely"
    else:
        ratio = f"e^{distance:.3g} times less likely"
    return f"{_symbols(other.symbols)}, score {other.score:.6g}, {ratio}"
