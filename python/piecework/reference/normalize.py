"""Normalization: what becomes of a text before it is split.

All normalizers that a tokenizer.json can name, written with the primitives of `aligned`. Facts about
characters are those of `unicode`. Only what a compatibility decomposition (NFKC, NFKD) makes of a
character is asked of Python, whose Unicode is newer than the library's version 9: the characters
that Unicode has given one since then, up to version 16, are named here as having none.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from piecework.reference import charsmap, regex, unicode
from piecework.reference.aligned import (
    Change,
    Normalized,
    Span,
    identity,
    keep,
    prepend,
    replace,
    replace_each,
    transform,
)

# Steps of BERT's


def clean(value: Normalized) -> Normalized:
    r"""Drops NUL, U+FFFD and control characters, and makes every white space a plain space.

    >>> clean(identity("a\x00b\tc")).text
    'ab c'
    """
    kept = keep(value, lambda c: c not in "\0\ufffd" and not unicode.is_control(c))
    return replace_each(kept, lambda c: " " if unicode.is_whitespace(c) else c)


def set_cjk_apart(value: Normalized) -> Normalized:
    """Puts a space on both sides of every CJK ideograph, so that each becomes a word.

    >>> set_cjk_apart(identity("a中b")).text
    'a 中 b'
    """
    return replace_each(value, lambda c: f" {c} " if unicode.is_cjk(c) else c)


def decompose(value: Normalized) -> Normalized:
    """Takes letters and accents apart (Unicode's NFD, with canonical reordering of marks).

    >>> decompose(identity("é")).alignment
    [(0, 1), (0, 1)]
    """
    return transform(value, _decomposed(value.text, unicode.decompose))


def _decomposed(text: str, parts_of: Callable[[str], str]) -> list[Change]:
    """Gives the parts of every character; runs of marks sorted by combining class, stably.

    Each part carries along whether it replaces a character or was inserted.
    """
    ordered: list[Change] = []
    marks: list[Change] = []
    for character in text:
        for i, part in enumerate(parts_of(character)):
            change = part, int(i > 0)
            if unicode.combining_class(part) == 0:
                ordered += sorted(marks, key=_class_of)
                ordered.append(change)
                marks = []
            else:
                marks.append(change)
    return ordered + sorted(marks, key=_class_of)


def _class_of(mark: Change) -> int:
    return unicode.combining_class(mark[0])


def _composed(changes: list[Change]) -> list[Change]:
    """Joins each mark to the starter before it, where the two have one character together.

    A mark is barred from the starter by an earlier one that stayed and has no lower class. A
    joined character adds up what its parts did: é from e and ◌́, both replacing, removes one.
    """
    composed: list[Change] = []
    starter, barred = None, 0
    for c, change in changes:
        own = unicode.combining_class(c)
        if starter is not None and (barred < own or not barred):
            base, sum_so_far = composed[starter]
            joined = _join(base, c)
            if joined:
                composed[starter] = joined, sum_so_far + change - 1
                continue
        if own == 0:
            starter, barred = len(composed), 0
        else:
            barred = own
        composed.append((c, change))
    return composed


def _join(base: str, mark: str) -> str:
    """Gives the one character that two make, if the tables know it; else nothing."""
    joined = unicodedata.normalize("NFC", base + mark)
    return joined if len(joined) == 1 and unicode.decompose(joined) != joined else ""


# The normalizers


class Normalizer:
    """Gives a normalization: of a text, or of a text that is under way.

    >>> Sequence([Strip(), Lowercase()])("  Hi ").text
    'hi'
    """

    def __call__(self, text: str) -> Normalized:
        """Normalizes a text.

        Args:
            text: Any text without lone surrogates.

        Returns:
            The normalized text, aligned with the characters of the original. Cost: linear, but for
            the sorting of long runs of marks.

        Raises:
            UnicodeEncodeError: the text holds a lone surrogate.

        >>> Lowercase()("ÀB").text
        'àb'
        """
        return self.apply(identity(text))

    def apply(self, value: Normalized) -> Normalized:
        """Takes one step more with a text that other steps may have changed already.

        >>> Lowercase().apply(identity("A")).text
        'a'
        """
        raise NotImplementedError

    def form_of(self, token: str) -> str:
        """Gives the form in which an added token is sought in normalized text.

        >>> Lowercase().form_of("<X>")
        '<x>'
        """
        return self(token).text


@dataclass(frozen=True)
class BertNormalizer(Normalizer):
    r"""Gives the normalization that BERT models were trained with.

    The order of the steps is that of the library: clean, set CJK apart, decompose and drop accents,
    lower-case.

    Args:
        clean_text: Drop control characters, make white space plain.
        handle_chinese_chars: Set CJK ideographs apart.
        strip_accents: Decompose and drop nonspacing marks; None does as `lowercase` says.
        lowercase: Lower-case each character alone (so a final sigma is like any other).

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
            value = set_cjk_apart(value)
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            value = keep(decompose(value), lambda c: not unicode.is_nonspacing_mark(c))
        if self.lowercase:
            value = replace_each(value, unicode.lowercase)
        return value


bert: Final[BertNormalizer] = BertNormalizer()


@dataclass(frozen=True)
class UnicodeForm(Normalizer):
    r"""Gives one of Unicode's normalization forms.

    Args:
        form: `NFC`, `NFD`, `NFKC` or `NFKD`.

    >>> [len(UnicodeForm(form)("ﬁé").text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    [2, 3, 3, 4]
    """

    form: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        changes = _decomposed(value.text, _compatible if "K" in self.form else unicode.decompose)
        return transform(value, _composed(changes) if self.form.endswith("C") else changes)


# Ranges of characters that Unicode has given a compatibility decomposition since its version 9.
_SINCE_9 = (
    *((0x32FF, 0x32FF), (0xA7F2, 0xA7F4), (0xAB69, 0xAB69), (0x10781, 0x10785), (0x10787, 0x107B0)),
    *((0x107B2, 0x107BA), (0x1CCD6, 0x1CCF9), (0x1E030, 0x1E06D), (0x1F16C, 0x1F16C)),
    (0x1FBF0, 0x1FBF9),
)


def _compatible(c: str) -> str:
    parts = unicodedata.normalize("NFKD", c)
    canonical = parts == unicodedata.normalize("NFD", c)
    newer = any(first <= ord(c) <= last for first, last in _SINCE_9)
    return unicode.decompose(c) if canonical or newer else parts


@dataclass(frozen=True)
class Lowercase(Normalizer):
    """Gives every character in lower case, each by itself, by its full mapping.

    >>> Lowercase()("ΟΔΟΣ").text
    'οδοσ'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return replace_each(value, unicode.lowercase)


@dataclass(frozen=True)
class StripAccents(Normalizer):
    r"""Drops combining marks of every kind; it takes nothing apart, so é stays.

    >>> StripAccents()("e\u0301é").text
    'eé'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return keep(value, lambda c: not unicode.is_combining_mark(c))


@dataclass(frozen=True)
class Strip(Normalizer):
    """Drops white space at the ends.

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
        start = _run(spaces) if self.left else 0
        rest = value.text[start:]
        end = len(rest) - (_run(spaces[start:][::-1]) if self.right else 0)
        if start == 0 and end == len(rest):
            return value
        return transform(value, [(c, 0) for c in rest[:end]], start)


def _run(flags: list[bool]) -> int:
    """Gives how many of them hold before the first that does not."""
    return flags.index(False) if False in flags else len(flags)


_NMT_REMOVED = frozenset([*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F])
_NMT_SPACE = frozenset(
    [0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
)


@dataclass(frozen=True)
class Nmt(Normalizer):
    r"""Drops some control characters and makes some others spaces, as SentencePiece's NMT rules do.

    >>> Nmt()("a\x01b\u200bc").text
    'ab c'
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        kept = keep(value, lambda c: ord(c) not in _NMT_REMOVED)
        return replace_each(kept, lambda c: " " if ord(c) in _NMT_SPACE else c)


@dataclass(frozen=True)
class Replace(Normalizer):
    r"""Replaces what a pattern matches.

    Args:
        pattern: A compiled pattern (see `regex`).
        content: What stands in for each match, verbatim.

    >>> Replace(regex.compiled(r"\s+"), "_")("a  b c").text
    'a_b_c'
    """

    pattern: regex.Pattern
    content: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return replace(value, regex.find(self.pattern, value.text), self.content)


@dataclass(frozen=True)
class Prepend(Normalizer):
    """Puts a string in front of every text that is not empty.

    Args:
        content: The string.

    >>> Prepend("▁")("a").text, Prepend("▁")("").text
    ('▁a', '')
    """

    content: str

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return prepend(value, self.content)


def _byte_alphabet() -> list[str]:
    """Gives a visible character for every byte: itself if it is one, else one from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(others)) for byte in range(256)]


BYTE_ALPHABET: Final = _byte_alphabet()


@dataclass(frozen=True)
class ByteLevel(Normalizer):
    """Writes every byte of the UTF-8 text as one visible character (a space becomes Ġ).

    >>> ByteLevel()("é a")
    Normalized(text='Ã©Ġa', alignment=[(0, 1), (0, 1), (1, 2), (2, 3)], whole=(0, 3), closed=False)
    """

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        return replace_each(value, lambda c: "".join(BYTE_ALPHABET[b] for b in c.encode("utf-8")))


@dataclass(frozen=True)
class Precompiled(Normalizer):
    """Rewrites text by the table of a SentencePiece model (see `charsmap`).

    Args:
        table: The table.
    """

    table: charsmap.CharsMap

    def apply(self, value: Normalized) -> Normalized:  # noqa: D102
        changes = self.table.changes(value.text)
        return value if changes is None else transform(value, changes)


SPACE: Final = "▁"


@dataclass(frozen=True)
class SentencePiece(Normalizer):
    """Normalizes as a SentencePiece model does, not as the library's `Precompiled` (spec, P59).

    Args:
        table: Its rules; the longest that fits is applied. None for none.
        add_dummy_prefix: Put a space before a text that is not empty.
        remove_extra_whitespaces: Keep one of several spaces, and none at the ends.
        escape_whitespaces: Write a space as `▁`.
        treat_whitespace_as_suffix: Put the space behind the text.
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
            text, alignment = self.space, [value.origin(*chunks[0][:2])]
        after_space = self.remove_extra_whitespaces
        for start, end, content in chunks:
            kept = content.lstrip(" ") if after_space else content
            text += kept.replace(" ", self.space)
            alignment += [value.origin(start, end)] * len(kept)
            if self.remove_extra_whitespaces and kept:
                after_space = kept.endswith(" ")
        if self.remove_extra_whitespaces:
            text = text.rstrip(self.space)
            alignment = alignment[: len(text)]
        if self.add_dummy_prefix and self.treat_whitespace_as_suffix:
            text += self.space
            alignment.append(value.origin(*chunks[-1][:2]))
        return value._replace(text=text, alignment=alignment)

    @property
    def space(self) -> str:
        """What a space is written as."""
        return SPACE if self.escape_whitespaces else " "

    def form_of(self, token: str) -> str:
        """Gives the form in which an added token is sought: nothing is put before it, no space goes.

        >>> SentencePiece(None).form_of("to be")
        'to▁be'
        """
        if token in self.symbols:
            return token
        return "".join(content.replace(" ", self.space) for _, _, content in self._chunks(token))

    def _chunks(self, text: str) -> list[tuple[int, int, str]]:
        """Gives symbols, what rules replace, and characters: where they start and end, and what becomes of them."""
        chunks, at = [], 0
        while at < len(text):
            symbol = max((s for s in self.symbols if text.startswith(s, at)), key=len, default="")
            rule = self.table.longest(text[at:]) if self.table and not symbol else None
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


def _table(written: str | None) -> charsmap.CharsMap | None:
    return None if written is None else charsmap.CharsMap.from_base64(written)


def from_dict(data: Mapping[str, Any]) -> Normalizer:
    """Makes a normalizer of its entry in a tokenizer.json.

    Args:
        data: The object; `type` says which normalizer it is.

    Returns:
        The normalizer.

    Raises:
        ValueError: there is no such type, or a pattern cannot be read.
        KeyError: a setting is missing.

    >>> from_dict({"type": "Strip", "strip_left": True, "strip_right": False})
    Strip(left=True, right=False)
    """
    kind = data["type"]
    if kind not in _MADE:
        raise ValueError(f"there is no normalizer {kind!r}")
    return _MADE[kind](data)


_BERT = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
_SENTENCE_PIECE = (
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)
_MADE: Final[dict[str, Callable[[Mapping[str, Any]], Normalizer]]] = {
    "BertNormalizer": lambda data: BertNormalizer(**{name: data[name] for name in _BERT}),
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
        _table(data["precompiled_charsmap"]),
        **{name: data[name] for name in _SENTENCE_PIECE},
        symbols=tuple(data["user_defined_symbols"]),
    ),
    "Sequence": lambda data: Sequence([from_dict(step) for step in data["normalizers"]]),
}
