"""Pre-tokenization: splitting a normalized text into words.

Subwords never cross a word boundary, so this step limits what a model can learn. A `PreTokenizer`
maps a normalized text to its parts, and may also change them, as `ByteLevel` and `Metaspace` do.
Parts without a character are dropped everywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from piecework.reference.normalize.normalizers import ByteLevel as ByteLevelNormalizer
from piecework.reference.pretokenize.split import (
    SpanFunction,
    apply_behavior,
    cover_text,
    match_characters,
    split_bert,
    split_whitespace,
    whole_text,
)
from piecework.reference.text import regex, unicode
from piecework.reference.text.alignment import Normalized, Span, prepend, replace
from piecework.reference.text.bytes import METASPACE


class PreTokenizer:
    """Splits a text in three steps: change the text, split it, change the parts.

    Each step does nothing unless a subclass overrides it. An atomic part (see `Dictionary`) is
    changed like any other, but not split.

    >>> [part.text for part in Metaspace()(Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3)))]
    ['▁a', '▁b']
    """

    def __call__(self, value: Normalized) -> list[Normalized]:
        """Splits a text.

        Args:
            value: A normalized text.

        Returns:
            Its parts, in order; none is empty.
        """
        value = self.transform_text(value)
        parts = [value] if value.is_atomic else self.split_text(value)
        return [self.transform_part(part) for part in parts]

    def transform_text(self, value: Normalized) -> Normalized:
        """Changes the text before it is split."""
        return value

    def find_spans(self, text: str) -> list[Span]:
        """Returns the parts as (start, end), in characters of the changed text."""
        return whole_text(text)

    def split_text(self, value: Normalized) -> list[Normalized]:
        """Splits the changed text."""
        spans = self.find_spans(value.text)
        return [value.slice(start, end) for start, end in spans if start < end]

    def transform_part(self, part: Normalized) -> Normalized:
        """Changes a part."""
        return part


PreTokenizerLike = SpanFunction | PreTokenizer


def as_pre_tokenizer(pre_tokenizer: PreTokenizerLike) -> PreTokenizer:
    """Wraps a function as a pre-tokenizer; a pre-tokenizer is returned unchanged.

    >>> value = Normalized("a!", [(0, 1), (1, 2)], (0, 2))
    >>> [part.text for part in as_pre_tokenizer(split_bert)(value)]
    ['a', '!']
    """
    return (
        pre_tokenizer
        if isinstance(pre_tokenizer, PreTokenizer)
        else FunctionPreTokenizer(pre_tokenizer)
    )


@dataclass(frozen=True)
class FunctionPreTokenizer(PreTokenizer):
    """Splits by a user-defined function.

    Args:
        function: From a text to its words: (start, end) spans in order without overlap, in
            characters; or the words themselves, each of which is looked for after the one before.
            Text between words is dropped.

    Raises:
        ValueError: when it is called: a span is out of order or out of range, or a word is not
            found.

    >>> FunctionPreTokenizer(str.split).find_spans(" to  be")
    [(1, 3), (5, 7)]
    """

    function: Callable[[str], Iterable[Span | str]]

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        spans: list[Span] = []
        done = 0
        for word in self.function(text):
            if isinstance(word, str):
                start = text.find(word, done)
                if start < 0:
                    raise ValueError(f"word {word!r} is not in the text from character {done} on")
                end = start + len(word)
            else:
                start, end = word
                if not done <= start <= end <= len(text):
                    raise ValueError(f"span {(start, end)} overlaps another or exceeds the text")
            spans.append((start, end))
            done = end
        return spans


@dataclass(frozen=True)
class Dictionary(PreTokenizer):
    """Keeps phrases together: each becomes a word that no later step of a sequence splits.

    Phrases are matched leftmost-longest; the text between two matches is a part of its own, and
    later steps may split it. Cost: length of the text times the number of phrases.

    Args:
        phrases: The phrases, as written in the normalized text.
        single_word: Whether a phrase only matches where no word character is adjacent.

    Raises:
        ValueError: a phrase is empty.

    >>> steps = Sequence([Dictionary(["New York"]), FunctionPreTokenizer(split_whitespace)])
    >>> text = "in New York "
    >>> value = Normalized(text, [(i, i + 1) for i in range(len(text))], (0, len(text)))
    >>> [part.text for part in steps(value)]
    ['in', 'New York']
    """

    phrases: Iterable[str]
    single_word: bool = False
    longest_first: list[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        longest_first = sorted(self.phrases, key=len, reverse=True)
        if "" in longest_first:
            raise ValueError("phrases: a phrase is empty; remove it")
        object.__setattr__(self, "longest_first", longest_first)

    def split_text(self, value: Normalized) -> list[Normalized]:  # noqa: D102
        matches = cover_text(value.text, self.find_phrases(value.text))
        return [
            value.slice(start, end)._replace(is_atomic=phrase) for (start, end), phrase in matches
        ]

    def find_phrases(self, text: str) -> Iterator[Span]:
        """Yields the spans of matched phrases."""
        start = 0
        while start < len(text):
            end = self.longest_phrase_end(text, start)
            if end is not None:
                yield start, end
            start = end or start + 1

    def longest_phrase_end(self, text: str, start: int) -> int | None:
        """Returns the end of the longest phrase that matches at a position, or None."""
        for phrase in self.longest_first:
            end = start + len(phrase)
            if text.startswith(phrase, start) and not (
                self.single_word and unicode.touches_word(text, start, end)
            ):
                return end
        return None


@dataclass(frozen=True)
class Split(PreTokenizer):
    """Splits by the matches of a pattern.

    Args:
        pattern: A compiled pattern (see `regex`).
        behavior: One of `BEHAVIORS`.
        invert: Take the text between the pattern's matches for the matches.

    >>> Split(regex.compile_pattern("[a-z]+"), "Removed", invert=True).find_spans("a-bc")
    [(0, 1), (2, 4)]
    """

    pattern: regex.Pattern
    behavior: str
    invert: bool = False

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        matches = cover_text(text, regex.find_spans(self.pattern, text))
        return apply_behavior(
            [(span, match != self.invert) for span, match in matches], self.behavior
        )


@dataclass(frozen=True)
class CharacterSplit(PreTokenizer):
    """Splits by characters that satisfy a predicate.

    Args:
        behavior: One of `BEHAVIORS`.
        is_match: Returns whether a character is a match.

    >>> CharacterSplit(unicode.is_numeric, "Contiguous").find_spans("a12")
    [(0, 1), (1, 3)]
    """

    is_match: Callable[[str], bool]
    behavior: str

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        return apply_behavior(match_characters(text, self.is_match), self.behavior)


@dataclass(frozen=True)
class Whitespace(PreTokenizer):
    r"""Splits into runs of word characters and runs of neither word characters nor white space.

    >>> Whitespace().find_spans("don't  go!")
    [(0, 3), (3, 4), (4, 5), (7, 9), (9, 10)]
    """

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        runs: list[Span] = []
        before = " "
        for i, c in enumerate(text):
            kind = "w" if unicode.is_word(c) else " " if unicode.is_whitespace(c) else "."
            if kind == before and runs:
                runs[-1] = runs[-1][0], runs[-1][1] + (kind != " ")
            elif kind != " ":
                runs.append((i, i + 1))
            before = kind
        return runs


@dataclass(frozen=True)
class FixedLength(PreTokenizer):
    """Splits into parts of equal length; the last may be shorter.

    Args:
        length: Length of each part in characters, at least one.

    Raises:
        ValueError: the length is zero.

    >>> FixedLength(2).find_spans("abc")
    [(0, 2), (2, 3)]
    """

    length: int = 5

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length={self.length}: expected at least 1")

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        return [(i, min(i + self.length, len(text))) for i in range(0, len(text), self.length)]


@dataclass(frozen=True)
class UnicodeScripts(PreTokenizer):
    """Splits where the script changes.

    A space and a character without a script belong to the part before them; at the start of the
    text they are dropped. Hiragana, Katakana and ー count as Han.

    >>> UnicodeScripts().find_spans("  a б1")
    [(2, 4), (4, 5), (5, 6)]
    """

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        starts: list[int] = []
        last = 0
        for i, c in enumerate(text):
            script = unicode.script(c)
            if script not in (0, last):
                starts.append(i)
            last = script or last
        return list(pairwise([*starts, len(text)]))


GPT2: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@dataclass(frozen=True)
class ByteLevel(PreTokenizer):
    """Splits as GPT-2 does and writes every byte as a visible character.

    Args:
        add_prefix_space: Put a space before each text that does not begin with one.
        use_regex: Split by GPT-2's pattern; else the text stays whole.

    >>> value = Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> [(part.text, part.span) for part in ByteLevel()(value)]
    [('Ġa', (0, 1)), ('Ġb', (1, 3))]
    """

    add_prefix_space: bool = True
    use_regex: bool = True

    def transform_text(self, value: Normalized) -> Normalized:  # noqa: D102
        prefix = self.add_prefix_space and not value.text.startswith(" ")
        return prepend(value, " ") if prefix else value

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        return (
            regex.find_spans(regex.compile_pattern(GPT2), text)
            if self.use_regex
            else whole_text(text)
        )

    def transform_part(self, part: Normalized) -> Normalized:  # noqa: D102
        return ByteLevelNormalizer().apply(part)


@dataclass(frozen=True)
class Metaspace(PreTokenizer):
    """Writes spaces as a visible character, prepends one, and splits before each.

    Args:
        replacement: The character.
        prepend_scheme: `always`: before each text that does not begin with it; `first`: only if the
            text is at the start of the original; `never`.
        split: Whether to split.

    Raises:
        ValueError: the scheme is unknown, or the replacement is not one character.

    >>> value = Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> [part.text for part in Metaspace(prepend_scheme="never")(value)]
    ['a', '▁b']
    """

    replacement: str = METASPACE
    prepend_scheme: str = "always"
    split: bool = True

    def __post_init__(self) -> None:
        if len(self.replacement) != 1:
            raise ValueError(f"replacement={self.replacement!r}: expected one character")
        if self.prepend_scheme not in ("always", "first", "never"):
            raise ValueError(
                f"prepend_scheme={self.prepend_scheme!r}: expected always, first or never"
            )

    def transform_text(self, value: Normalized) -> Normalized:  # noqa: D102
        spaces = [(i, i + 1) for i, c in enumerate(value.text) if c == " "]
        value = replace(value, spaces, self.replacement)
        leads = value.span[0] == 0 if self.prepend_scheme == "first" else True
        if self.prepend_scheme == "never" or value.text.startswith(self.replacement) or not leads:
            return value
        return prepend(value, self.replacement)

    def find_spans(self, text: str) -> list[Span]:  # noqa: D102
        if not self.split:
            return whole_text(text)
        return apply_behavior(
            match_characters(text, lambda c: c == self.replacement), "MergedWithNext"
        )


@dataclass(frozen=True)
class Sequence(PreTokenizer):
    """Applies pre-tokenizers one after the other, each to every part of the one before.

    Args:
        steps: The pre-tokenizers.

    >>> value = Normalized("a1!", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> digits = CharacterSplit(unicode.is_numeric, "Isolated")
    >>> steps = Sequence([FunctionPreTokenizer(split_bert), digits])
    >>> [part.text for part in steps(value)]
    ['a', '1', '!']
    """

    steps: tuple[PreTokenizer, ...] | list[PreTokenizer]

    def __call__(self, value: Normalized) -> list[Normalized]:  # noqa: D102
        parts = [value]
        for step in self.steps:
            parts = [part for each in parts for part in step(each)]
        return parts


def from_dict(data: Mapping[str, Any]) -> PreTokenizer:
    """Creates a pre-tokenizer from its member in a tokenizer.json.

    Args:
        data: The object; `type` names the pre-tokenizer.

    Returns:
        The pre-tokenizer.

    Raises:
        ValueError: the type is unknown, or a setting is invalid.
        KeyError: a setting is missing.

    >>> from_dict({"type": "FixedLength", "length": 3})
    FixedLength(length=3)
    """
    name = data["type"]
    if name in _CONSTRUCTORS:
        return _CONSTRUCTORS[name](data)
    raise ValueError(
        f"pre_tokenizer: type {name!r} is unknown; expected one of {sorted(_CONSTRUCTORS)}"
    )


def _metaspace(data: Mapping[str, Any]) -> Metaspace:
    scheme = data.get("prepend_scheme", "always")
    if data.get("add_prefix_space") is False and scheme != "never":
        raise ValueError("add_prefix_space=False: expected prepend_scheme 'never'")
    split = data.get("split")
    return Metaspace(data["replacement"], scheme, True if split is None else split)


_CONSTRUCTORS: Final[dict[str, Callable[[Mapping[str, Any]], PreTokenizer]]] = {
    "BertPreTokenizer": lambda data: FunctionPreTokenizer(split_bert),
    "WhitespaceSplit": lambda data: FunctionPreTokenizer(split_whitespace),
    "Whitespace": lambda data: Whitespace(),
    "UnicodeScripts": lambda data: UnicodeScripts(),
    "FixedLength": lambda data: FixedLength(data.get("length", 5)),
    "Punctuation": lambda data: CharacterSplit(
        unicode.is_punctuation, data.get("behavior", "Isolated")
    ),
    "Digits": lambda data: CharacterSplit(
        unicode.is_numeric, "Isolated" if data["individual_digits"] else "Contiguous"
    ),
    "CharDelimiterSplit": lambda data: CharacterSplit(lambda c: c == data["delimiter"], "Removed"),
    "Split": lambda data: Split(regex.from_dict(data["pattern"]), data["behavior"], data["invert"]),
    "ByteLevel": lambda data: ByteLevel(data["add_prefix_space"], data.get("use_regex", True)),
    "Metaspace": _metaspace,
    "Sequence": lambda data: Sequence([from_dict(step) for step in data["pretokenizers"]]),
    "piecework.Dictionary": lambda data: Dictionary(
        tuple(data["phrases"]), data.get("single_word", False)
    ),
}
