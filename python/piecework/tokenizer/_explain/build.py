"""Builds explanations from the rows of the core."""

from __future__ import annotations

import re
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING

from piecework._display import abridged, display_token, quoted
from piecework._messages import shown
from piecework._settings.arguments import Specials, check_index, check_range
from piecework.errors import ConfigError
from piecework.tokenizer._explain.explanation import (
    AlignedRun,
    Explanation,
    NormalizedText,
    Piece,
    Span,
    Word,
)
from piecework.tokenizer._explain.lineage import Lineage, find_lineage
from piecework.tokenizer._explain.steps import (
    BpeMerge,
    BpeSteps,
    LatticeEdge,
    LatticeNode,
    PairMerge,
    PlacedSymbol,
    PrefixMatch,
    Replacement,
    Segmentation,
    SegmentationLattice,
    Steps,
    Symbol,
    UnmergedPair,
    WordPieceSteps,
)
from piecework.tokenizer._options import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from piecework._core._tokenizer import (
        _Lattice,
        _Merges,
        _PairMerge,
        _PlacedToken,
        _TokenRow,
        _WordRow,
    )
    from piecework.tokenizer import Tokenizer


STEP_CHARACTERS = 2000
"""The number of characters of the longest word whose steps are listed, since their number can grow with its square."""
_MAX_TRIED = 64
"""The maximum number of failed prefixes that are listed for one match."""
_MORE_PATHS = 11
"""The number of segmentations that are searched beyond those wanted, since several may have the same tokens."""
_MAX_QUOTED = 60
"""The number of characters of a text that a reason quotes."""
_MOST = 1 << 32
"""More than any text has characters."""
_BYTE = re.compile("<0x[0-9A-F]{2}>")


def explain(
    tokenizer: Tokenizer,
    text: str,
    *,
    specials: Specials | None = None,
    max_characters: int | None = None,
    nbest: int = 5,
    span: Span | None = None,
) -> Explanation:
    """Explains how a text is segmented; see :meth:`piecework.Tokenizer.explain`."""
    part = (0, _MOST) if span is None else check_range("span", span, len(text))
    limit = _MOST if max_characters is None else _checked("max_characters", max_characters)
    nbest = _checked("nbest", nbest)
    options = tokenizer._options(
        {"add_special_tokens": False, "specials": specials, "sampling": None, **UNLIMITED}
    )
    row = tokenizer._core.explain(
        text, options, part, (limit, STEP_CHARACTERS, nbest + _MORE_PATHS)
    )
    builder = _Builder(tokenizer, row["normalized"], nbest)
    words = tuple(builder.word(word) for word in row["words"])
    return Explanation(
        text,
        tokenizer.model_type,
        NormalizedText(row["normalized"], tuple(map(AlignedRun._make, row["runs"]))),
        words,
        row["word_count"] - len(words),
    )


def _checked(name: str, value: int) -> int:
    """Returns a limit that is an integer from 1, at most `_MOST`."""
    number = check_index(name, value)
    if number < 1:
        raise ConfigError(f"expected a positive integer, found {shown(value)}", setting=name)
    return min(number, _MOST)


class _Builder:
    """Builds words and pieces, and remembers what they have in common."""

    def __init__(self, tokenizer: Tokenizer, normalized: str, nbest: int) -> None:
        self._tokenizer = tokenizer
        self._core = tokenizer._core
        self._normalized = normalized
        self._nbest = nbest
        self._unk_token = tokenizer.unk_token
        self._prefix = tokenizer.continuing_subword_prefix
        self._suffix = self._core.end_of_word_suffix()
        self._special_tokens = tokenizer.special_tokens
        model = tokenizer.model_type
        is_likeliest = model == "WordPiece" and self._core.model()[-1] == "likeliest"
        self._has_scores = is_likeliest or model == "Unigram"
        self._symbols: dict[int, Symbol] = {}
        self._bytes: dict[int, bytes] = {}
        self._origins: dict[str, tuple[str, Lineage | None]] = {}

    # --- words and pieces ----------------------------------------------------------------------

    def word(self, row: _WordRow) -> Word:
        """Returns a word with its pieces and steps."""
        steps = self._steps(row)
        kind = "text" if row["added"] is None else self._added_kind(row["added"])
        pieces = tuple(self._piece(row, token, steps) for token in row["tokens"])
        return Word(
            row["text"],
            display_token(self._word_bytes(row)),
            kind,
            row["normalized"],
            row["original"],
            pieces,
            row["token_count"] - len(pieces),
            steps,
        )

    def _piece(self, row: _WordRow, token: _TokenRow, steps: Steps | None) -> Piece:
        number, span, normalized_span, offsets = token
        symbol = self._symbol(number)
        kind, lineage = self._origin(symbol.token)
        if row["added"] is not None and kind != "unknown":
            kind, lineage = self._added_kind(number), None
        text, decoded = self._normalized[slice(*normalized_span)], self._bytes[number]
        reason, unknown_span = "", None
        if kind == "unknown":
            unknown_span = _unmatched(steps) or span
            reason, decoded = self._reason(row, unknown_span), text.encode()
        elif kind == "byte":
            decoded = bytes.fromhex(symbol.token[3:5])
        has_score = self._has_scores and kind != "byte" and row["added"] is None
        return Piece(
            symbol.token,
            symbol.display_token,
            number,
            span,
            normalized_span,
            offsets,
            text,
            decoded,
            kind,
            lineage,
            reason,
            unknown_span,
            self._tokenizer.lm.score([number]) if has_score else None,
        )

    def _word_bytes(self, row: _WordRow) -> bytes:
        """Returns the bytes of the text of a word; that of an added token is text, not characters for bytes."""
        number, text = row["added"], row["text"]
        if number is not None and self._core.id_to_token(number) == text:
            return self._core.token_bytes(number)
        return self._core.text_bytes(text)

    def _added_kind(self, number: int) -> str:
        # By the id, since the name of a normalized token is its normalized content.
        return "special" if number in self._special_tokens.values() else "added"

    def _symbol(self, number: int) -> Symbol:
        symbol = self._symbols.get(number)
        if symbol is None:
            token = self._core.id_to_token(number) or ""
            bare = token.removeprefix(self._prefix).removesuffix(self._suffix)
            data = self._core.token_bytes(number)
            self._bytes[number] = data if bare == token else self._core.text_bytes(bare)
            symbol = Symbol(number, token, display_token(data))
            self._symbols[number] = symbol
        return symbol

    def _origin(self, token: str) -> tuple[str, Lineage | None]:
        """Returns the kind of a token, and the merges that created it."""
        origin = self._origins.get(token)
        if origin is None:
            origin = self._origins[token] = self._new_origin(token)
        return origin

    def _new_origin(self, token: str) -> tuple[str, Lineage | None]:
        if token == self._unk_token:
            return "unknown", None
        if token in self._special_tokens:
            return "special", None
        if token in self._tokenizer.training._symbols:
            return "symbol", None
        lineage = find_lineage(self._tokenizer, token)
        return ("merged", lineage) if lineage else (self._unmerged(token), None)

    def _unmerged(self, token: str) -> str:
        """Returns the kind of a token that no merge created."""
        model = self._tokenizer.model_type
        if model == "WordLevel":
            return "word"
        if model == "Unigram":
            return "byte" if _BYTE.fullmatch(token) else "piece"
        if model == "WordPiece":
            return "alphabet" if self._tokenizer.training else "vocabulary"
        if self._core.merges_of(token) is None:
            return "alphabet"
        return "byte" if _BYTE.fullmatch(token) else "word"

    def _reason(self, row: _WordRow, span: Span) -> str:
        """Returns why characters of a word are unknown."""
        word, model = row["text"], self._tokenizer.model_type
        if row["added"] is not None or word.strip() == self._unk_token:
            return "the text is the unknown token itself"
        if model == "WordLevel":
            return f"{_quoted(word)} is not in the vocabulary"
        characters = word[slice(*span)]
        if model == "BPE":
            decoded = self._core.text_bytes(characters).decode("utf-8", "backslashreplace")
            shown = quoted(abridged(decoded, _MAX_QUOTED))
            return f"no token starts with {shown}{_code_points(characters)}"
        if model == "Unigram":
            return f"no piece covers {_quoted(characters)}{_code_points(characters)}"
        limit = self._tokenizer.max_input_chars_per_word
        if limit is not None and len(word) > limit:
            return (
                f"the word has {len(word)} characters, more than max_input_chars_per_word={limit}"
            )
        place = (
            f", character {span[0]} of {_quoted(word)}" if self._tokenizer.unknown == "word" else ""
        )
        return f"no piece matches at {_quoted(characters)}{_code_points(characters)}{place}"

    # --- the steps of models -------------------------------------------------------------------

    def _steps(self, row: _WordRow) -> Steps | None:
        if row["matches"] is not None:
            return self._matches(row["text"], row["matches"])
        if row["merges"] is not None:
            return self._merges(row["merges"])
        if row["lattice"] is not None:
            return self._lattice(row["lattice"], row["tokens"])
        return None

    def _matches(self, word: str, matches: Iterable[_PlacedToken]) -> WordPieceSteps:
        return WordPieceSteps(tuple(self._match(word, *match) for match in matches))

    def _match(self, word: str, number: int | None, span: Span) -> PrefixMatch:
        start, end = span
        prefix = self._prefix if start else ""
        shortest = end + 1 if number is not None else end
        ends = range(min(len(word), shortest + _MAX_TRIED - 1), shortest - 1, -1)
        tried = tuple(prefix + word[start:stop] for stop in ends)
        special = tuple(text for text in tried if self._core.token_to_id(text) is not None)
        symbol = None if number is None else self._symbol(number)
        return PrefixMatch(start, symbol, tried, len(word) - shortest + 1, special)

    def _merges(self, row: _Merges) -> BpeSteps:
        symbols = tuple(
            PlacedSymbol(self._symbol(number), span)
            for number, span in row["symbols"]
            if number is not None
        )
        merges = tuple(
            BpeMerge(index, self._pair_merge(merge), tuple(map(self._pair_merge, blocked)))
            for index, merge, blocked in row["steps"]
        )
        replacements = tuple(
            Replacement(index, self._symbol(number), tuple(map(self._symbol, numbers)))
            for index, number, numbers in row["replacements"]
        )
        steps = BpeSteps(row["is_whole"], symbols, merges, (), replacements)
        *_, last = steps.states()
        unmerged = tuple(self._unmerged_pair(*pair) for pair in pairwise(last))
        return BpeSteps(row["is_whole"], symbols, merges, unmerged, replacements)

    def _pair_merge(self, row: _PairMerge) -> PairMerge:
        left, right, merged, rank = row
        return PairMerge(self._symbol(left), self._symbol(right), self._symbol(merged), rank)

    def _unmerged_pair(self, left: Symbol, right: Symbol) -> UnmergedPair:
        token = left.token + right.token.removeprefix(self._prefix)
        known = self._core.token_to_id(token) is not None
        return UnmergedPair(left, right, token if known else None)

    def _lattice(self, row: _Lattice, tokens: Sequence[_TokenRow]) -> SegmentationLattice:
        word_score = row["log_probability"]
        taken_ids = tuple(number for number, *_ in tokens)
        scores = dict[tuple[int, ...], float]()
        for path, score in row["best"]:
            ids = tuple(number for number, _ in path if number is not None)
            scores.setdefault(ids, score)  # unknown characters can be fused in several ways
        nbest = tuple(self._segmentation(ids, score, word_score) for ids, score in scores.items())
        taken_score = scores.get(taken_ids)
        if taken_score is None:
            taken_score = self._tokenizer.lm.score(list(taken_ids))
        taken = self._segmentation(taken_ids, taken_score, word_score)
        edges = tuple(self._edges(row, tokens))
        return SegmentationLattice(
            tuple(_nodes(edges)), edges, word_score, taken, nbest[: self._nbest]
        )

    def _segmentation(self, ids: Iterable[int], score: float, word_score: float) -> Segmentation:
        share = min(exp(min(score - word_score, 0.0)), 1.0)
        return Segmentation(tuple(map(self._symbol, ids)), score, share)

    def _edges(self, row: _Lattice, tokens: Sequence[_TokenRow]) -> Iterable[LatticeEdge]:
        known = {(number, span) for number, span, *_ in tokens}
        # The characters that an unknown token or byte tokens stand for.
        placed = {(number, span) for number, span, _ in row["edges"]}
        unknown = set[int]()
        for number, span, *_ in tokens:
            if (number, span) not in placed:
                unknown.update(range(*span))
        for edge, span, score in row["edges"]:
            taken = span[0] in unknown if edge is None else (edge, span) in known
            symbol = None if edge is None else self._symbol(edge)
            yield LatticeEdge(symbol, span, score, taken)


def _nodes(edges: Sequence[LatticeEdge]) -> Iterable[LatticeNode]:
    """Returns the positions that edges reach, with the best score of a path from the start."""
    best = {0: 0.0} if edges else {}
    for edge in edges:
        start, end = edge.span
        score = best[start] + edge.score
        best[end] = max(score, best.get(end, score))
    return (LatticeNode(position, best[position]) for position in sorted(best))


def _unmatched(steps: Steps | None) -> Span | None:
    """Returns the character that made a whole word unknown."""
    if isinstance(steps, WordPieceSteps) and steps.matches and steps.matches[-1].symbol is None:
        start = steps.matches[-1].start
        return start, start + 1
    return None


def _quoted(text: str) -> str:
    """Returns a text in quotes, abridged."""
    return f"'{abridged(text, _MAX_QUOTED)}'"


def _code_points(characters: str) -> str:
    """Returns the code points of up to four characters in parentheses, unless these are ASCII letters and the like."""
    if characters.isascii() and characters.isprintable():
        return ""
    shown = " ".join(f"U+{ord(c):04X}" for c in characters[:4])
    return f" ({shown}{' …' if len(characters) > 4 else ''})"
