"""Shows explanations and comparisons as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piecework._display import abridged
from piecework._show.document import Edge, Lattice, Text, Token, Tree, enumerated, spaced
from piecework.tokenizer._explain.steps import (
    BpeSteps,
    PairMerge,
    PrefixMatch,
    Segmentation,
    SegmentationLattice,
    Symbol,
    UnmergedPair,
    WordPieceSteps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from piecework._show.document import Block, Spans
    from piecework.tokenizer._explain.explanation import Explanation, Piece, Word


_MAX_MERGES = 2000
"""The maximum number of lines for the merges of a word."""
_MAX_PREFIXES = 8
"""The maximum number of failed prefixes that are shown."""
_MAX_SYMBOLS = 40
"""The maximum number of symbols of a line."""
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
_KINDS = {"unknown": "unknown", "special": "special", "added": "special"}
"""The kinds of tokens of a document, by the kinds of pieces."""


def head(explanation: Explanation) -> Spans:
    """Returns the text and its pieces."""
    return abridged(explanation.text), " -> ", *_pieces(explanation.pieces)


def explanation_document(explanation: Explanation) -> Iterator[Block]:
    """Iterates over an explanation: the text and its pieces, and below it the steps of each word."""
    yield Tree(head(explanation), list(_below(explanation)))


def _below(explanation: Explanation) -> Iterator[Block]:
    if explanation.normalized.text != explanation.text:
        yield Text(("normalized: ", Token(explanation.normalized.text)))
    if len(explanation.words) + explanation.words_left_out > 1:
        yield from map(_word_tree, explanation.words)
    else:
        for word in explanation.words:
            yield from _word(word)
    if explanation.words_left_out:
        yield Text(f"and {explanation.words_left_out:,} other words are left out")


def _word_tree(word: Word) -> Block:
    start, end = word.offsets
    line = (Token(word.display_text), f" ({start}-{end}) -> ", *_pieces(word.pieces))
    return Tree(line, list(_word(word)), is_open=False)


def _pieces(pieces: Sequence[Piece]) -> Spans:
    return spaced(map(_piece_token, pieces[:_MAX_SYMBOLS]), len(pieces))


def _piece_token(piece: Piece) -> Token:
    return Token(piece.display_token, f"id {piece.id}", _KINDS.get(piece.kind, ""))


def _word(word: Word) -> Iterator[Block]:
    steps = word.steps
    if isinstance(steps, BpeSteps):
        yield from _merges(steps)
    matches = {match.start: match for match in _matches(steps)}
    for piece in word.pieces:
        match = matches.get(piece.span[0]) if piece.kind != "unknown" else None
        yield from _piece(piece, match, has_tree=not isinstance(steps, BpeSteps))
        if piece.kind == "unknown" and (found := _found(steps, piece)):
            yield Text(("found before: ", *_symbols(found)), 1)
    if word.pieces_left_out:
        yield Text(f"and {word.pieces_left_out:,} more pieces, which max_characters leaves out")
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


def _piece(piece: Piece, match: PrefixMatch | None, *, has_tree: bool) -> Iterator[Block]:
    notes = [_tried(match)] if match and match.tried else []
    if piece.score is not None:
        notes.append(f"score {piece.score:.6g}")
    notes.append(piece.reason if piece.kind == "unknown" else _DESCRIPTIONS.get(piece.kind, ""))
    note = "; ".join(filter(None, notes))
    yield Text((_piece_token(piece), f" ({_facts(piece)}){': ' if note else ''}{note}"))
    if has_tree and piece.lineage:
        yield from piece.lineage.merge_lines(1)


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
    return "".join(map(str, spaced(parts[:_MAX_BYTES], len(parts))))


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


def _merges(steps: BpeSteps) -> Iterator[Block]:
    """Iterates over the merges in order, with the symbols after each."""
    if steps.is_whole:
        yield Text("the whole word is a token, so nothing is merged (ignore_merges)")
        return
    if len(steps.symbols) > 1:
        yield Text(("symbols: ", *_symbols([placed.symbol for placed in steps.symbols])))
    states = steps.states()
    next(states)
    for number, (step, state) in enumerate(zip(steps.merges, states, strict=True)):
        if number == _MAX_MERGES:
            yield Text(f"and {len(steps.merges) - number:,} more merges")
            break
        blocked = ("; blocks ", *enumerated(map(_pair, step.blocked))) if step.blocked else ()
        merge = (*_sum(step.merge.left, step.merge.right), " = ", _symbol(step.merge.merged))
        rank = f" (merge {step.merge.rank + 1}): "
        yield Text((*merge, rank, *_symbols(state), *blocked))
    if steps.unmerged:
        pairs = enumerated(map(_unmerged, steps.unmerged[:_MAX_SYMBOLS]))
        rest = len(steps.unmerged) - _MAX_SYMBOLS
        yield Text(("no merge joins ", *pairs, f" and {rest:,} more pairs" if rest > 0 else ""))
    for replacement in steps.replacements[:_MAX_SYMBOLS]:
        split = _symbols(replacement.symbols) or ("unknown",)
        yield Text((_symbol(replacement.symbol), " is no token: ", *split))


def _symbol(symbol: Symbol) -> Token:
    return Token(symbol.display_token, f"id {symbol.id}")


def _symbols(symbols: Sequence[Symbol]) -> Spans:
    return spaced(map(_symbol, symbols[:_MAX_SYMBOLS]), len(symbols))


def _sum(left: Symbol, right: Symbol) -> Spans:
    return _symbol(left), " + ", _symbol(right)


def _unmerged(pair: UnmergedPair) -> Spans:
    note = "" if pair.token is None else f" (other pairs make {abridged(pair.token)})"
    return *_sum(pair.left, pair.right), note


def _pair(merge: PairMerge) -> Spans:
    return *_sum(merge.left, merge.right), f" (merge {merge.rank + 1})"


# Lattices


def _lattice(lattice: SegmentationLattice) -> Iterator[Block]:
    """Iterates over the pieces at each position, and over the best segmentations."""
    taken = lattice.taken
    if lattice.next is None:
        yield Text(f"total score {taken.score:.6g}; no other segmentation")
        return
    title = "pieces that begin at each character, with scores; * is taken:"
    edges = [
        Edge(_symbol(symbol) if symbol else Token("unknown"), span, score, is_taken)
        for symbol, span, score, is_taken in lattice.edges
    ]
    yield Tree(title, [Lattice(edges)])
    yield Text(f"total score {taken.score:.6g}, {taken.share:.1%} of the word's probability")
    for segmentation in lattice.nbest:
        if segmentation.symbols != taken.symbols:
            yield Text(("next best ", *_segmentation(lattice, segmentation)), 1)


def _segmentation(lattice: SegmentationLattice, other: Segmentation) -> Spans:
    """Returns another segmentation, and how much less likely it is."""
    distance = lattice.taken.score - other.score
    times = lattice.times_less_likely(other)
    if distance <= 0:
        ratio = "equally likely"
    elif times < _LARGEST_RATIO:
        ratio = f"{times:.3g} times less likely"
    else:
        ratio = f"e^{distance:.3g} times less likely"
    return *_symbols(other.symbols), f", score {other.score:.6g}, {ratio}"
