"""Normalization: the changes to a text before it is split.

All normalizers that a tokenizer.json can name, built from the primitives of `alignment`. Properties
of characters are those of `unicode`. Only the compatibility decomposition (NFKC, NFKD) of a
character is Python's, whose Unicode is newer than the library's version 9: the characters that got
a decomposition since then, up to version 16, are listed here as having none.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from piecework.reference.normalize import charsmap
from piecework.reference.text import regex, unicode
from piecework.reference.text.alignment import (
    Change,
    Normalized,
    Span,
    filter_characters,
    identity,
    map_characters,
    prepend,
    replace,
    transform,
)
from piecework.reference.text.bytes import BYTE_ALPHABET, METASPACE

# Steps of the BERT normalizer


def clean(value: Normalized) -> Normalized:
    r"""Removes NUL, U+FFFD and control characters, and replaces all white space by plain spaces.

    >>> clean(identity("a\x00b\tc")).text
    'ab c'
    """
    kept = filter_characters(value, lambda c: c not in "\0\ufffd" and not unicode.is_control(c))
    return map_characters(kept, lambda c: " " if unicode.is_whitespace(c) else c)


def pad_cjk(value: Normalized) -> Normalized:
    """Puts a space on both sides of every CJK ideograph, so that each becomes a word.

    >>> pad_cjk(identity("a中b")).text
    'a 中 b'
    """
    return map_characters(value, lambda c: f" {c} " if unicode.is_cjk(c) else c)


def decompose(value: Normalized) -> Normalized:
    """Decomposes letters and accents (Unicode's NFD, with canonical reordering of marks).

    >>> decompose(identity("é")).alignment
    [(0, 1), (0, 1)]
    """
    return transform(value, _decompose_text(value.text, unicode.decompose))


def _decompose_text(text: str, parts_of: Callable[[str], str]) -> list[Change]:
    """Returns the parts of every character; runs of marks are sorted by combining class, stably.

    Each part records whether it replaces a character or was inserted.
    """
    ordered: list[Change] = []
    marks: list[Change] = []
    for character in text:
        for i, part in enumerate(parts_of(character)):
            change = part, int(i > 0)
            if unicode.combining_class(part) == 0:
                ordered += sorted(marks, key=_combining_class_of)
                ordered.append(change)
                marks = []
            else:
                marks.append(change)
    return ordered + sorted(marks, key=_combining_class_of)


def _combining_class_of(mark: Change) -> int:
    return unicode.combining_class(mark[0])


def _compose(changes: list[Change]) -> list[Change]:
    """Composes each mark with the starter before it, where one character is equivalent to both.

    A mark is blocked from the starter by an earlier mark that stayed and has no lower class. A
    composed character sums the changes of its parts: é from e and ◌́, both replacing, removes one.
    """
    composed: list[Change] = []
    starter, barred = None, 0
    for c, change in changes:
        own = unicode.combining_class(c)
        if starter is not None and (barred < own or not barred):
            base, sum_so_far = composed[starter]
            joined = _compose_pair(base, c)
            if joined:
                composed[starter] = joined, sum_so_far + change - 1
                continue
        if own == 0:
            starter, barred = len(composed), 0
        else:
            barred = own
        composed.append((c, change))
    return composed


def _compose_pair(base: str, mark: str) -> str:
    """Returns the composition of two characters according to the tables; else an empty string."""
    joined = unicodedata.normalize("NFC", base + mark)
    return joined if len(joined) == 1 and unicode.decompose(joined) != joined else ""


# The normalizers


class Normalizer:
    """Normalizes texts, with the alignment to the original.

    >>> Sequence([Strip(), Lowercase()])("  Hi ").text
    'hi'
    """

    def __call__(self, text: str) -> Normalized:
        """Normalizes a text.

        Args:
            text: Any text without lone surrogates.

        Returns:
            The normalized text, aligned with the characters of the original. Cost: linear, except
            for the sorting of long runs of marks.

        Raises:
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> Lowercase()("ÀB").text
        'àb'
        """
        return self.apply(identity(text))

    def apply(self, value: Normalized) -> Normalized:
        """Normalizes a text that earlier steps may have changed.

        >>> Lowercase().apply(identity("A")).text
        'a'
        """
        raise NotImplementedError

    def normalize_added_token(self, token: str) -> str:
        """Returns the form in which an added token is matched in normalized text.

        >>> Lowercase().normalize_added_token("<X>")
        '<x>'
        """
        return self(token).text


@dataclass(frozen=True)
class BertNormalizer(Normalizer):
    r"""Normalizes as BERT does.

    The order of the steps is that of the library: clean, pad CJK ideographs, decompose and strip
    accents, lowercase.

    Args:
        clean_text: Remove control characters, make white space plain.
        handle_chinese_chars: Put spaces around CJK ideographs.
        strip_accents: Decompose and remove nonspacing marks; None follows `lowercase`.
        lowercase: Lowercase each character alone (a final sigma is like any other).

    >>> BertNormalizer(lowercase=False)("Ça\tva").text
    'Ça va'
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        if self.clean_text:
            value = clean(value)
        if self.handle_chinese_chars:
            value = pad_cjk(value)
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            value = filter_characters(decompose(value), lambda c: not unicode.is_nonspacing_mark(c))
        if self.lowercase:
            value = map_characters(value, unicode.lowercase)
        return value


BERT: Final[BertNormalizer] = BertNormalizer()


@dataclass(frozen=True)
class UnicodeForm(Normalizer):
    r"""Normalizes to one of Unicode's normalization forms.

    Args:
        form: `NFC`, `NFD`, `NFKC` or `NFKD`.

    >>> [len(UnicodeForm(form)("ﬁé").text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    [2, 3, 3, 4]
    """

    form: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        changes = _decompose_text(
            value.text, _decompose_compatibly if "K" in self.form else unicode.decompose
        )
        return transform(value, _compose(changes) if self.form.endswith("C") else changes)


# Ranges of characters that got a compatibility decomposition after Unicode 9.
_DECOMPOSED_SINCE_9 = (
    *((0x32FF, 0x32FF), (0xA7F2, 0xA7F4), (0xAB69, 0xAB69), (0x10781, 0x10785), (0x10787, 0x107B0)),
    *((0x107B2, 0x107BA), (0x1CCD6, 0x1CCF9), (0x1E030, 0x1E06D), (0x1F16C, 0x1F16C)),
    (0x1FBF0, 0x1FBF9),
)


def _decompose_compatibly(c: str) -> str:
    parts = unicodedata.normalize("NFKD", c)
    canonical = parts == unicodedata.normalize("NFD", c)
    newer = any(first <= ord(c) <= last for first, last in _DECOMPOSED_SINCE_9)
    return unicode.decompose(c) if canonical or newer else parts


@dataclass(frozen=True)
class Lowercase(Normalizer):
    """Lowercases each character alone, by its full mapping.

    >>> Lowercase()("ΟΔΟΣ").text
    'οδοσ'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return map_characters(value, unicode.lowercase)


@dataclass(frozen=True)
class StripAccents(Normalizer):
    r"""Removes combining marks of every kind; nothing is decomposed, so é stays.

    >>> StripAccents()("e\u0301é").text
    'eé'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return filter_characters(value, lambda c: not unicode.is_combining_mark(c))


@dataclass(frozen=True)
class Strip(Normalizer):
    """Removes white space at the ends of the text.

    Args:
        left: At the start.
        right: At the end.

    >>> Strip(right=False)(" a ").text
    'a '
    """

    left: bool = True
    right: bool = True

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        spaces = [unicode.is_whitespace(c) for c in value.text]
        start = _leading_true(spaces) if self.left else 0
        rest = value.text[start:]
        end = len(rest) - (_leading_true(spaces[start:][::-1]) if self.right else 0)
        if start == 0 and end == len(rest):
            return value
        return transform(value, [(c, 0) for c in rest[:end]], start)


def _leading_true(flags: list[bool]) -> int:
    """Returns the number of leading flags that are true."""
    return flags.index(False) if False in flags else len(flags)


_NMT_REMOVED = frozenset([*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F])
_NMT_SPACE = frozenset(
    [0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
)


@dataclass(frozen=True)
class Nmt(Normalizer):
    r"""Removes or replaces control characters by spaces, as SentencePiece's NMT rules do.

    >>> Nmt()("a\x01b\u200bc").text
    'ab c'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        kept = filter_characters(value, lambda c: ord(c) not in _NMT_REMOVED)
        return map_characters(kept, lambda c: " " if ord(c) in _NMT_SPACE else c)


@dataclass(frozen=True)
class Replace(Normalizer):
    r"""Replaces the matches of a pattern.

    Args:
        pattern: A compiled pattern (see `regex`).
        content: The replacement, verbatim.

    >>> Replace(regex.compile_pattern(r"\s+"), "_")("a  b c").text
    'a_b_c'
    """

    pattern: regex.Pattern
    content: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return replace(value, regex.find_spans(self.pattern, value.text), self.content)


@dataclass(frozen=True)
class Prepend(Normalizer):
    """Prepends a string to every text that is not empty.

    Args:
        content: The string.

    >>> Prepend("▁")("a").text, Prepend("▁")("").text
    ('▁a', '')
    """

    content: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return prepend(value, self.content)


@dataclass(frozen=True)
class ByteLevel(Normalizer):
    """Writes every byte of the UTF-8 text as one visible character (a space becomes Ġ).

    >>> ByteLevel()("é a").text, ByteLevel()("é a").alignment
    ('Ã©Ġa', [(0, 1), (0, 1), (1, 2), (2, 3)])
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return map_characters(value, lambda c: "".join(BYTE_ALPHABET[b] for b in c.encode("utf-8")))


@dataclass(frozen=True)
class Precompiled(Normalizer):
    """Normalizes by the rules of a SentencePiece model (see `charsmap`).

    Args:
        table: The rules.
    """

    table: charsmap.CharsMap

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        changes = self.table.changes(value.text)
        return value if changes is None else transform(value, changes)


@dataclass(frozen=True)
class SentencePiece(Normalizer):
    """Normalizes as SentencePiece does, unlike the library's `Precompiled` (spec, P59).

    Args:
        table: The rules; the longest match applies. None for no rules.
        add_dummy_prefix: Put a space before a text that is not empty.
        remove_extra_whitespaces: Reduce several spaces to one, and remove those at the ends.
        escape_whitespaces: Write a space as `▁`.
        treat_whitespace_as_suffix: Put the space after the text.
        symbols: Strings that no rule changes.

    >>> SentencePiece(None)(" to  be").text
    '▁to▁be'
    """

    table: charsmap.CharsMap | None
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    symbols: tuple[str, ...] = ()

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        chunks = self._chunks(value.text)
        if self.remove_extra_whitespaces:
            while chunks and chunks[0][2] == " ":
                chunks.pop(0)
        if not chunks:
            return value._replace(text="", alignment=[])
        text, alignment = "", list[Span]()
        if self.add_dummy_prefix and not self.treat_whitespace_as_suffix:
            text, alignment = self.space, [value.original_span(*chunks[0][:2])]
        after_space = self.remove_extra_whitespaces
        for start, end, content in chunks:
            kept = content.lstrip(" ") if after_space else content
            text += kept.replace(" ", self.space)
            alignment += [value.original_span(start, end)] * len(kept)
            if self.remove_extra_whitespaces and kept:
                after_space = kept.endswith(" ")
        if self.remove_extra_whitespaces:
            text = text.rstrip(self.space)
            alignment = alignment[: len(text)]
        if self.add_dummy_prefix and self.treat_whitespace_as_suffix:
            text += self.space
            alignment.append(value.original_span(*chunks[-1][:2]))
        return value._replace(text=text, alignment=alignment)

    @property
    def space(self) -> str:
        """Returns the character that is written for a space."""
        return METASPACE if self.escape_whitespaces else " "

    def normalize_added_token(self, token: str) -> str:
        """Returns the form in which an added token is matched: no prefix, and no spaces removed.

        >>> SentencePiece(None).normalize_added_token("to be")
        'to▁be'
        """
        if token in self.symbols:
            return token
        return "".join(content.replace(" ", self.space) for _, _, content in self._chunks(token))

    def _chunks(self, text: str) -> list[tuple[int, int, str]]:
        """Returns symbols, matches of rules, and characters: start, end and replacement."""
        chunks, at = [], 0
        while at < len(text):
            symbol = max((s for s in self.symbols if text.startswith(s, at)), key=len, default="")
            rule = self.table.longest_match(text[at:]) if self.table and not symbol else None
            size, content = rule or (len(symbol) or 1, symbol or text[at])
            chunks.append((at, at + size, content))
            at += size
        return chunks


@dataclass(frozen=True)
class Sequence(Normalizer):
    """Applies normalizers one after the other.

    Args:
        steps: The normalizers.

    >>> Sequence([UnicodeForm("NFD"), StripAccents()])("é").text
    'e'
    """

    steps: tuple[Normalizer, ...] | list[Normalizer]

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        for step in self.steps:
            value = step.apply(value)
        return value


def _read_table(written: str | None) -> charsmap.CharsMap | None:
    return None if written is None else charsmap.CharsMap.from_base64(written)


def from_dict(data: Mapping[str, Any]) -> Normalizer:
    """Creates a normalizer from its member in a tokenizer.json.

    Args:
        data: The object; `type` names the normalizer.

    Returns:
        The normalizer.

    Raises:
        ValueError: the type is unknown, or a pattern is invalid.
        KeyError: a setting is missing.

    >>> from_dict({"type": "Strip", "strip_left": True, "strip_right": False})
    Strip(left=True, right=False)
    """
    name = data["type"]
    if name not in _CONSTRUCTORS:
        raise ValueError(
            f"normalizer: type {name!r} is unknown; expected one of {sorted(_CONSTRUCTORS)}"
        )
    return _CONSTRUCTORS[name](data)


_BERT = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
_SENTENCE_PIECE = (
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)
_CONSTRUCTORS: Final[dict[str, Callable[[Mapping[str, Any]], Normalizer]]] = {
    "BertNormalizer": lambda data: BertNormalizer(**{setting: data[setting] for setting in _BERT}),
    "NFC": lambda data: UnicodeForm("NFC"),
    "NFD": lambda data: UnicodeForm("NFD"),
    "NFKC": lambda data: UnicodeForm("NFKC"),
    "NFKD": lambda data: UnicodeForm("NFKD"),
    "Lowercase": lambda data: Lowercase(),
    "StripAccents": lambda data: StripAccents(),
    "Strip": lambda data: Strip(data["strip_left"], data["strip_right"]),
    "Nmt": lambda data: Nmt(),
    "ByteLevel": lambda data: ByteLevel(),
    "Replace": lambda data: Replace(regex.from_dict(data["pattern"]), data["content"]),
    "Prepend": lambda data: Prepend(data["prepend"]),
    "Precompiled": lambda data: Precompiled(
        charsmap.CharsMap.from_base64(data["precompiled_charsmap"])
    ),
    "piecework.SentencePiece": lambda data: SentencePiece(
        _read_table(data["precompiled_charsmap"]),
        **{setting: data[setting] for setting in _SENTENCE_PIECE},
        symbols=tuple(data["user_defined_symbols"]),
    ),
    "Sequence": lambda data: Sequence([from_dict(step) for step in data["normalizers"]]),
}
