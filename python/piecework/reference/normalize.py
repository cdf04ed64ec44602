"""Normalization that remembers where every character came from.

A model is trained on tidied text: control characters gone, accents stripped, letters small. A user
wants to know which characters of the text *as written* a token covers. So each step below carries,
beside the text, one span of the original for each character of the result:

    original     É t é         (0,1) (1,2) (2,3)
    decomposed   E ́ t e ́       (0,1) (0,1) (1,2) (2,3) (2,3)
    stripped     E t e         (0,1)       (1,2) (2,3)

Three primitives move a text and its spans: `transform` (a list of changes), `replace` (stretches
by a string) and `prepend`. All normalizers that a tokenizer.json can name are written with them.
Facts about characters are those of `unicode`. Only what a compatibility decomposition (NFKC, NFKD)
makes of a character is asked of Python, whose Unicode is newer than the library's version 9: the
characters that Unicode has given one since then, up to version 16, are named here as having none.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from piecework.reference import charsmap, regex, unicode

Span = tuple[int, int]
Change = tuple[str, int]


class Normalized(NamedTuple):
    """Gives a text under way, with the place of each of its characters in the original.

    Args:
        text: The text after the steps so far.
        alignment: For each character of `text` a (start, end) span, in characters of the original.
        whole: The part of the original that this text stands for, with what was removed from it.
        closed: Whether a pre-tokenizer may no longer cut it.

    >>> bert("Été").alignment
    [(0, 1), (1, 2), (2, 3)]
    """

    text: str
    alignment: list[Span]
    whole: Span
    closed: bool = False

    def origin(self, start: int, end: int) -> Span:
        """Gives the part of the original that characters `start` to `end` of the text stem from.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; the part must not be empty.

        Returns:
            (start, end) in characters of the original: the start of the first, the end of the last.

        >>> bert("naïve").origin(2, 4)
        (2, 4)
        """
        return self.alignment[start][0], self.alignment[end - 1][1]

    def part(self, start: int, end: int) -> "Normalized":
        """Gives a part of the text as a text of its own.

        Args:
            start: First character of the part, in characters of `text`.
            end: One past its last character; the part must not be empty.

        Returns:
            The part; its whole is the origin of its characters.

        >>> bert("Ça va").part(3, 5)
        Normalized(text='va', alignment=[(3, 4), (4, 5)], whole=(3, 5), closed=False)
        """
        alignment = self.alignment[start:end]
        return Normalized(self.text[start:end], alignment, self.origin(start, end))

    def shifted(self, by: int) -> "Normalized":
        """Gives the text as a part of a longer original.

        Args:
            by: Characters of the original before it.

        Returns:
            The same text, every span moved.

        >>> identity("a").shifted(3).alignment
        [(3, 4)]
        """
        alignment = [(start + by, end + by) for start, end in self.alignment]
        return self._replace(alignment=alignment, whole=(self.whole[0] + by, self.whole[1] + by))


def identity(text: str) -> Normalized:
    """Gives a text as it is, each character aligned with itself; every pipeline starts here.

    Args:
        text: Any text that can be written as UTF-8.

    Returns:
        The same text and its spans, in characters.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate, which stands for no character.

    >>> identity("ab")
    Normalized(text='ab', alignment=[(0, 1), (1, 2)], whole=(0, 2), closed=False)
    """
    text.encode("utf-8")
    return Normalized(text, [(i, i + 1) for i in range(len(text))], (0, len(text)))


# The three primitives


def transform(value: Normalized, changes: Iterable[Change], removed: int = 0) -> Normalized:
    """Replaces the text by a list of changes and moves the alignment along.

    A change is a character of the new text with a number: 0, it replaces the next character of the
    old text and takes its span; -n, it does so, and the n characters after that one are removed; +1,
    it is inserted, consumes nothing, and takes the span of the character just consumed. Consumption
    follows the order of the *output*, also where reordering has carried an inserted mark ahead of a
    replacing one: that is how the library behaves, and offsets agree with it only so.

    The library finds the text to replace by way of the original, and so misses characters at the
    front that stand for nothing there (see `_reach`): they stay, before the new text. Mostly it then
    runs out of old characters and panics; there, everything is replaced instead. Cost: linear.

    Args:
        value: The text so far.
        changes: (character, number) in the order of the new text.
        removed: Characters removed before the first change.

    Returns:
        The new text with spans in characters of the original.

    >>> transform(identity("ß"), [("s", 0), ("s", 1)]).alignment
    [(0, 1), (0, 1)]
    >>> transform(identity("-a-b"), [("A", -1), ("B", 0)], removed=1).alignment
    [(1, 2), (3, 4)]
    """
    new = list(changes)
    first, end = _reach(value)
    try:
        spans = _spans(value, new, first, end, removed)
    except IndexError:
        first, end = 0, len(value.text)
        spans = _spans(value, new, first, end, removed)
    text = value.text[:first] + "".join(c for c, _ in new) + value.text[end:]
    alignment = value.alignment[:first] + spans + value.alignment[end:]
    return value._replace(text=text, alignment=alignment)


def _reach(value: Normalized) -> Span:
    """Gives the characters whose spans lie in the whole, from the first that is not empty on."""
    start, end = value.whole
    if start == end:
        return 0, 0
    first, last = None, 0
    for i, (left, right) in enumerate(value.alignment):
        if right > end:
            break
        if first is None and start <= left < right:
            first = i
        last = i + 1
    return last if first is None else first, last


def _spans(
    value: Normalized, changes: list[Change], first: int, end: int, removed: int
) -> list[Span]:
    spans: list[Span] = []
    consumed = min(first + removed, end)
    for _, change in changes:
        if change > 0:
            spans.append(_before(value, consumed))
        else:
            spans.append(value.alignment[consumed])
            consumed = min(consumed + 1 - change, end)
    return spans


def _before(value: Normalized, place: int) -> Span:
    """Gives the span of the character before a place; at the front, an empty one."""
    return value.alignment[place - 1] if place else (value.whole[0], value.whole[0])


def replace(value: Normalized, stretches: Iterable[Span], content: str) -> Normalized:
    """Replaces stretches of the text, every one by the same string.

    Each new character takes the span of the last character of its stretch; where the stretch is
    empty, of the character before it; at the front of the text, an empty span.

    Args:
        value: The text so far.
        stretches: (start, end) in characters of the text, in order and apart; they may be empty.
        content: What stands in for each.

    Returns:
        The new text with spans in characters of the original.

    >>> replace(identity("a--b"), [(1, 3)], "+")
    Normalized(text='a+b', alignment=[(0, 1), (2, 3), (3, 4)], whole=(0, 4), closed=False)
    """
    text, alignment, done = "", list[Span](), 0
    for start, end in stretches:
        text += value.text[done:start] + content
        alignment += value.alignment[done:start] + [_before(value, end)] * len(content)
        done = end
    return value._replace(
        text=text + value.text[done:], alignment=alignment + value.alignment[done:]
    )


def prepend(value: Normalized, content: str) -> Normalized:
    """Puts a string in front of a text that is not empty; it takes the span of what it precedes.

    To prepend nothing is not nothing: the first character then gets an empty span at the front.

    Args:
        value: The text so far.
        content: What is put before it.

    Returns:
        The new text with spans in characters of the original.

    >>> prepend(identity("ab"), "_").alignment
    [(0, 1), (0, 1), (1, 2)]
    >>> prepend(identity("ab"), "").alignment
    [(0, 0), (1, 2)]
    """
    if not value.text:
        return value
    span = value.alignment[0] if content else _before(value, 0)
    alignment = [span] * (len(content) + 1) + value.alignment[1:]
    return value._replace(text=content + value.text, alignment=alignment)


# Steps made of them


def keep(value: Normalized, wanted: Callable[[str], bool]) -> Normalized:
    """Drops the characters that are not wanted.

    Args:
        value: The text so far.
        wanted: Says of one character whether it stays.

    Returns:
        What is left, each character with the span it had.

    >>> keep(identity("a-b"), str.isalpha).alignment
    [(0, 1), (2, 3)]
    """
    changes: list[Change] = []
    removed = 0
    for c in value.text:
        if wanted(c):
            changes.append((c, 0))
        elif changes:
            changes[-1] = (changes[-1][0], changes[-1][1] - 1)
        else:
            removed += 1
    return transform(value, changes, removed)


def replace_each(value: Normalized, replacement: Callable[[str], str]) -> Normalized:
    """Replaces every character by one or more, all of which keep its span.

    Args:
        value: The text so far.
        replacement: Gives the characters that stand in for one; at least one.

    Returns:
        The new text with spans in characters of the original.

    >>> replace_each(identity("ab"), lambda c: c * 2).alignment
    [(0, 1), (0, 1), (1, 2), (1, 2)]
    """
    changes = [(r, int(i > 0)) for c in value.text for i, r in enumerate(replacement(c))]
    return transform(value, changes)


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
    "Sequence": lambda data: Sequence([from_dict(step) for step in data["normalizers"]]),
}
