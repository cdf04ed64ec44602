"""Writes explanations as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from piecework.explain.steps import BpeSteps, SegmentationLattice, WordPieceSteps
from piecework.html import MAX_TOKENS, fragment, more, table, text_html, token_html

if TYPE_CHECKING:
    from piecework.explain.explanation import Explanation, Piece, Span, Word
    from piecework.explain.lineage import Lineage
    from piecework.explain.steps import BpeMerge, LatticeEdge, PairMerge, PrefixMatch, Symbol

__all__ = ["explanation_html"]

_MAX_ROWS = 100
"""The maximum number of rows of a table, and of words whose steps are shown."""
_MAX_TEXT = 500
"""The maximum number of characters of the text and of the normalized text."""
_MAX_COLUMNS = 40
"""The maximum number of characters of a lattice that is drawn."""
_MAX_PREFIXES = 16
"""The maximum number of failed prefixes of a match."""
_MAX_BYTES = 16
"""The maximum number of bytes and code points of a piece."""
_MAX_STATES = 40
"""The maximum number of symbols in a row of merges."""


def explanation_html(explanation: Explanation) -> str:
    """Returns an explanation as HTML.

    Args:
        explanation: The explanation.

    Returns:
        The pieces in colour, a table of the stages, and the steps of the model for each word.
    """
    pieces = explanation.pieces
    shown = " ".join(_token(piece) for piece in pieces[:MAX_TOKENS])
    parts = [f"<div>{shown}{more(len(pieces) - MAX_TOKENS, 'pieces')}</div>"]
    if explanation.normalized.text != explanation.text:
        text, normalized = (
            text_html(text, _MAX_TEXT) for text in (explanation.text, explanation.normalized.text)
        )
        parts.append(
            f'<div><span class="pw-dim">text</span> <span class="pw-c">{text}</span></div>'
        )
        parts.append(
            f'<div><span class="pw-dim">normalized</span> <span class="pw-c">{normalized}</span></div>'
        )
    parts.append(_stages(explanation))
    words, is_single = explanation.words[:_MAX_ROWS], len(explanation.words) == 1
    parts += [_steps(word, is_open=is_single) for word in words]
    left_out = len(explanation.words) - len(words) + explanation.words_left_out
    parts.append(more(left_out, "words"))
    return fragment(*parts)


# Stages


def _stages(explanation: Explanation) -> str:
    """Returns a table with a row for each piece: the stages from the original text to the id."""
    names = ("text", "normalized", "word", "piece", "id", "characters", "bytes", "code points", "")
    rows, count = list[tuple[str, ...]](), 0
    for word in explanation.words:
        for number, piece in enumerate(word.pieces):
            count += 1
            if count <= _MAX_ROWS:
                rows.append(_stage(explanation, word if number == 0 else None, piece))
    return table(names, rows) + more(count - _MAX_ROWS, "pieces") if rows else ""


def _stage(explanation: Explanation, word: Word | None, piece: Piece) -> tuple[str, ...]:
    return (
        _code(explanation.text, piece.offsets),
        _code(explanation.normalized.text, piece.normalized_span),
        _text(word.display_text) if word else "",
        _token(piece),
        str(piece.id),
        f"{piece.offsets[0]}\u2013{piece.offsets[1]}",
        _codes(piece.bytes.hex(" ").upper().split()),
        _codes(piece.code_points),
        _note(piece),
    )


def _token(piece: Piece) -> str:
    kinds = {"unknown": ["pw-unknown"], "special": ["pw-special"], "added": ["pw-special"]}
    classes = kinds.get(piece.kind, [])
    return token_html(piece.display_token, f"id {piece.id}", *classes)


def _code(text: str, span: Span) -> str:
    return _text(text[slice(*span)])


def _text(text: str) -> str:
    return f'<span class="pw-c">{text_html(text)}</span>'


def _codes(parts: list[str] | tuple[str, ...]) -> str:
    """Returns bytes or code points."""
    shown = " ".join(parts[:_MAX_BYTES])
    rest = more(len(parts) - _MAX_BYTES, "")
    return f'<span class="pw-codes"><span class="pw-c">{shown}</span>{rest}</span>'


def _note(piece: Piece) -> str:
    if piece.kind == "unknown":
        return _text(piece.reason)
    score = "" if piece.score is None else f"score {piece.score:.6g} "
    lineage = piece.lineage
    if lineage is None or lineage.left is None or lineage.right is None:
        kind = "" if score else escape(piece.kind)
        return f'<span class="pw-dim">{score}{kind}</span>'
    parts = " + ".join(map(_ancestor, (lineage.left, lineage.right)))
    merge = f'{score}{parts} <span class="pw-dim">(merge {lineage.step})</span>'
    return f'<span class="pw-note">{merge}</span>'


def _ancestor(lineage: Lineage) -> str:
    return token_html(lineage.display_token)


# Steps


def _steps(word: Word, *, is_open: bool) -> str:
    """Returns the steps of a word, folded unless it is the only one."""
    match word.steps:
        case WordPieceSteps(matches=matches) if matches:
            rows = [_match(word, each) for each in matches[:_MAX_ROWS]]
            body = table(("at", "longest token", "failed before"), rows)
            body += more(len(matches) - _MAX_ROWS, "matches")
        case BpeSteps() as steps:
            body = _merges(steps)
        case SegmentationLattice() as steps:
            body = _lattice(word, steps)
        case _:
            return ""
    summary = f'steps of <span class="pw-c">{text_html(word.display_text)}</span>'
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{body}</details>"


def _match(word: Word, match: PrefixMatch) -> tuple[str, ...]:
    found = _symbol(match.symbol) if match.symbol else '<span class="pw-x">none</span>'
    tried = " ".join(f"<s>{_text(prefix)}</s>" for prefix in match.tried[:_MAX_PREFIXES])
    return str(match.start), found, tried + more(match.tried_count - _MAX_PREFIXES, "prefixes")


def _symbol(symbol: Symbol, *classes: str) -> str:
    return token_html(symbol.display_token, f"id {symbol.id}", *classes)


def _merges(steps: BpeSteps) -> str:
    """Returns a table of the merges in order, with the symbols after each."""
    if steps.is_whole:
        return "<div>the whole word is a token, so nothing is merged (ignore_merges)</div>"
    rows = [("", _state([placed.symbol for placed in steps.symbols], None), "")]
    states = steps.states()
    next(states)
    for step, state in zip(steps.merges[:_MAX_ROWS], states, strict=False):
        rows.append((f"merge {step.merge.rank + 1}", _state(state, step.index), _blocked(step)))
    body = table(("", "symbols", "blocks"), rows) + more(len(steps.merges) - _MAX_ROWS, "merges")
    pairs = [
        f"{_symbol(left)} + {_symbol(right)}{_other_pairs(token)}"
        for left, right, token in steps.unmerged[:_MAX_ROWS]
    ]
    if pairs:
        body += f'<div><span class="pw-dim">no merge joins</span> {", ".join(pairs)}</div>'
    for replacement in steps.replacements[:_MAX_ROWS]:
        split = " ".join(map(_symbol, replacement.symbols)) or "unknown"
        body += f"<div>{_symbol(replacement.symbol)} is no token: {split}</div>"
    return body


def _state(symbols: list[Symbol] | tuple[Symbol, ...], new: int | None) -> str:
    """Returns the symbols of a word, with the new one framed; of many those around it."""
    start = max(0, (new or 0) - _MAX_STATES // 2)
    shown = [
        _symbol(symbol, *(["pw-new"] if index == new else []))
        for index, symbol in enumerate(symbols[start : start + _MAX_STATES], start)
    ]
    before = '<span class="pw-dim">…</span> ' if start else ""
    return before + " ".join(shown) + more(len(symbols) - start - _MAX_STATES, "symbols")


def _blocked(step: BpeMerge) -> str:
    return ", ".join(map(_pair, step.blocked))


def _pair(merge: PairMerge) -> str:
    left, right = _symbol(merge.left), _symbol(merge.right)
    return f'{left} + {right} <span class="pw-dim">(merge {merge.rank + 1})</span>'


def _other_pairs(token: str | None) -> str:
    return "" if token is None else ' <span class="pw-dim">(other pairs make it)</span>'


def _lattice(word: Word, lattice: SegmentationLattice) -> str:
    """Returns the lattice, drawn on a grid with a column for each character, and the best segmentations."""
    drawn = (
        _grid(lattice)
        if len(word.text) <= _MAX_COLUMNS
        else f'<div class="pw-dim">a lattice of {len(lattice.edges):,} edges, not drawn</div>'
    )
    rows = [
        (
            " ".join(map(_symbol, each.symbols[:_MAX_STATES]))
            + more(len(each.symbols) - _MAX_STATES, "pieces"),
            f"{each.score:.6g}",
            f"{each.share:.3g}",
        )
        for each in lattice.nbest
    ]
    return drawn + table(("best segmentations", "score", "share"), rows)


def _grid(lattice: SegmentationLattice) -> str:
    edges = "".join(map(_edge, lattice.edges))
    return f'<div class="pw-lattice">{edges}</div>'


def _edge(edge: LatticeEdge) -> str:
    """Returns a token over the characters that it covers, framed if it is taken."""
    start, end = edge.span
    shown = "unknown" if edge.symbol is None else edge.symbol.display_token
    classes = ["pw-new"] if edge.is_taken else []
    box = token_html(shown, f"score {edge.score:.6g}", *classes)
    head, inside = box.removesuffix("</span>").split(">", 1)
    head = head.replace('style="', f'style="grid-column:{start + 1}/{end + 1};', 1)
    return f"{head}><span>{inside}</span><small>{edge.score:.4g}</small></span>"
