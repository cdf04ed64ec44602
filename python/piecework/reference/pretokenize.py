"""Splitting a normalized text into words.

Subwords never cross a word's border, so this step decides what a model can learn at all. A `Step`
takes a text that is under way and gives its parts, and may also change them, as `ByteLevel` and
`Metaspace` do. Parts without a character are dropped everywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from piecework.reference import regex, unicode
from piecework.reference.aligned import Normalized, Span, prepend, replace
from piecework.reference.normalize import ByteLevel as ByteAlphabet
from piecework.reference.split import (
    SpanFunction,
    arranged,
    bert,
    characters,
    covering,
    whitespace,
    whole,
)


class Step:
    """Gives a pre-tokenizer: what it changes before it cuts, where it cuts, what it changes after.

    Each of the three does nothing unless a step says otherwise. A part that is closed (see
    `Dictionary`) is changed like any other, but not cut.

    >>> [part.text for part in Metaspace()(Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3)))]
    ['▁a', '▁b']
    """

    def __call__(self, value: Normalized) -> list[Normalized]:
        """Splits a text.

        Args:
            value: A text under way.

        Returns:
            Its parts, in order; none is empty.
        """
        value = self.prepare(value)
        parts = [value] if value.closed else self.cut(value)
        return [self.finish(part) for part in parts]

    def prepare(self, value: Normalized) -> Normalized:
        """Changes the text before it is cut."""
        return value

    def spans(self, text: str) -> list[Span]:
        """Gives the parts as (start, end) of the changed text."""
        return whole(text)

    def cut(self, value: Normalized) -> list[Normalized]:
        """Cuts the changed text."""
        spans = self.spans(value.text)
        return [value.part(start, end) for start, end in spans if start < end]

    def finish(self, part: Normalized) -> Normalized:
        """Changes a part."""
        return part


PreTokenizer = SpanFunction | Step


def step_of(pre_tokenizer: PreTokenizer) -> Step:
    """Gives a pre-tokenizer of either kind as a step.

    >>> [part.text for part in step_of(bert)(Normalized("a!", [(0, 1), (1, 2)], (0, 2)))]
    ['a', '!']
    """
    return pre_tokenizer if isinstance(pre_tokenizer, Step) else Function(pre_tokenizer)


@dataclass(frozen=True)
class Function(Step):
    """Gives a pre-tokenizer of your own.

    Args:
        function: From a text to its words: (start, end) spans in order and apart, in characters; or
            the words themselves, each of which is looked for after the one before. What lies
            between words is dropped.

    Raises:
        ValueError: when it is called: a span is out of order or of range, or a word is not found.

    >>> Function(str.split).spans(" to  be")
    [(1, 3), (5, 7)]
    """

    function: Callable[[str], Iterable[Span | str]]

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        spans: list[Span] = []
        done = 0
        for word in self.function(text):
            if isinstance(word, str):
                start = text.find(word, done)
                if start < 0:
                    raise ValueError(f"the text has no {word!r} from character {done} on")
                end = start + len(word)
            else:
                start, end = word
                if not done <= start <= end <= len(text):
                    raise ValueError(f"the span {(start, end)} overlaps another or leaves the text")
            spans.append((start, end))
            done = end
        return spans


@dataclass(frozen=True)
class Dictionary(Step):
    """Keeps phrases together: each becomes a word that no later step of a sequence cuts.

    Phrases are found leftmost, and of those the longest; what lies between them is a part of its
    own each, and open to later steps.

    Args:
        phrases: The phrases, as they stand in the normalized text.
        single_word: Whether a phrase only counts where no word character is beside it.

    Raises:
        ValueError: a phrase is empty.

    >>> steps = Sequence([Dictionary(["New York"]), Function(whitespace)])
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
            raise ValueError("a phrase is empty")
        object.__setattr__(self, "longest_first", longest_first)

    def cut(self, value: Normalized) -> list[Normalized]:  # noqa: D102
        matches = covering(value.text, self.found(value.text))
        return [value.part(start, end)._replace(closed=phrase) for (start, end), phrase in matches]

    def found(self, text: str) -> Iterator[Span]:
        """Finds the phrases that count."""
        start = 0
        while start < len(text):
            end = self.longest(text, start)
            if end is not None:
                yield start, end
            start = end or start + 1

    def longest(self, text: str, start: int) -> int | None:
        """Gives the end of the longest phrase that counts at a place."""
        for phrase in self.longest_first:
            end = start + len(phrase)
            if text.startswith(phrase, start) and not (
                self.single_word and unicode.touches_a_word(text, start, end)
            ):
                return end
        return None


@dataclass(frozen=True)
class Split(Step):
    """Splits by what a pattern matches.

    Args:
        pattern: A compiled pattern (see `regex`).
        behavior: One of `BEHAVIORS`.
        invert: Take for matches what lies between the pattern's.

    >>> Split(regex.compiled("[a-z]+"), "Removed", invert=True).spans("a-bc")
    [(0, 1), (2, 4)]
    """

    pattern: regex.Pattern
    behavior: str
    invert: bool = False

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        matches = covering(text, regex.find(self.pattern, text))
        return arranged([(span, match != self.invert) for span, match in matches], self.behavior)


@dataclass(frozen=True)
class SplitCharacters(Step):
    """Splits by characters of a kind.

    Args:
        kind: Says of one character whether it is a match.
        behavior: One of `BEHAVIORS`.

    >>> SplitCharacters(unicode.is_numeric, "Contiguous").spans("a12")
    [(0, 1), (1, 3)]
    """

    kind: Callable[[str], bool]
    behavior: str

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        return arranged(characters(text, self.kind), self.behavior)


@dataclass(frozen=True)
class Whitespace(Step):
    r"""Splits into runs of word characters and runs of what is neither word nor white space.

    >>> Whitespace().spans("don't  go!")
    [(0, 3), (3, 4), (4, 5), (7, 9), (9, 10)]
    """

    def spans(self, text: str) -> list[Span]:  # noqa: D102
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
class FixedLength(Step):
    """Splits into stretches of so many characters; the last may be shorter.

    Args:
        length: Characters of each, at least one.

    Raises:
        ValueError: the length is zero.

    >>> FixedLength(2).spans("abc")
    [(0, 2), (2, 3)]
    """

    length: int = 5

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length={self.length}: expected at least 1")

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        return [(i, min(i + self.length, len(text))) for i in range(0, len(text), self.length)]


@dataclass(frozen=True)
class UnicodeScripts(Step):
    """Splits where the script changes.

    A space and a character of no script belong to what stands before them. Where they lead the text
    nothing does, and they are dropped. Hiragana, Katakana and ー count as Han.

    >>> UnicodeScripts().spans("  a б1")
    [(2, 4), (4, 5), (5, 6)]
    """

    def spans(self, text: str) -> list[Span]:  # noqa: D102
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
class ByteLevel(Step):
    """Splits as GPT-2 does and writes every byte as a visible character.

    Args:
        add_prefix_space: Put a space before each text that does not begin with one.
        use_regex: Split by GPT-2's pattern; else the text stays whole.

    >>> value = Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> [(part.text, part.whole) for part in ByteLevel()(value)]
    [('Ġa', (0, 1)), ('Ġb', (1, 3))]
    """

    add_prefix_space: bool = True
    use_regex: bool = True

    def prepare(self, value: Normalized) -> Normalized:  # noqa: D102
        prefix = self.add_prefix_space and not value.text.startswith(" ")
        return prepend(value, " ") if prefix else value

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        return regex.find(regex.compiled(GPT2), text) if self.use_regex else whole(text)

    def finish(self, part: Normalized) -> Normalized:  # noqa: D102
        return ByteAlphabet().apply(part)


@dataclass(frozen=True)
class Metaspace(Step):
    """Writes spaces as a visible character, puts one in front, and splits before each.

    Args:
        replacement: The character.
        prepend_scheme: `always`: before each text that does not begin with it; `first`: before such
            a text that stands at the start of the original; `never`.
        split: Split at all.

    Raises:
        ValueError: there is no such scheme, or the replacement is not one character.

    >>> value = Normalized("a b", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> [part.text for part in Metaspace(prepend_scheme="never")(value)]
    ['a', '▁b']
    """

    replacement: str = "▁"
    prepend_scheme: str = "always"
    split: bool = True

    def __post_init__(self) -> None:
        if len(self.replacement) != 1:
            raise ValueError(f"replacement={self.replacement!r}: expected one character")
        if self.prepend_scheme not in ("always", "first", "never"):
            raise ValueError(f"prepend_scheme={self.prepend_scheme!r}: always, first or never")

    def prepare(self, value: Normalized) -> Normalized:  # noqa: D102
        spaces = [(i, i + 1) for i, c in enumerate(value.text) if c == " "]
        value = replace(value, spaces, self.replacement)
        leads = value.whole[0] == 0 if self.prepend_scheme == "first" else True
        if self.prepend_scheme == "never" or value.text.startswith(self.replacement) or not leads:
            return value
        return prepend(value, self.replacement)

    def spans(self, text: str) -> list[Span]:  # noqa: D102
        if not self.split:
            return whole(text)
        return arranged(characters(text, lambda c: c == self.replacement), "MergedWithNext")


@dataclass(frozen=True)
class Sequence(Step):
    """Applies steps one after the other, each to every part that the one before gave.

    Args:
        steps: The steps.

    >>> value = Normalized("a1!", [(0, 1), (1, 2), (2, 3)], (0, 3))
    >>> steps = Sequence([Function(bert), SplitCharacters(unicode.is_numeric, "Isolated")])
    >>> [part.text for part in steps(value)]
    ['a', '1', '!']
    """

    steps: tuple[Step, ...] | list[Step]

    def __call__(self, value: Normalized) -> list[Normalized]:  # noqa: D102
        parts = [value]
        for step in self.steps:
            parts = [part for each in parts for part in step(each)]
        return parts


def from_dict(data: Mapping[str, Any]) -> Step:
    """Makes a pre-tokenizer of its entry in a tokenizer.json.

    Args:
        data: The object; `type` says which pre-tokenizer it is.

    Returns:
        The pre-tokenizer.

    Raises:
        ValueError: there is no such type, or a setting is impossible.
        KeyError: a setting is missing.

    >>> from_dict({"type": "FixedLength", "length": 3})
    FixedLength(length=3)
    """
    kind = data["type"]
    if kind in _MADE:
        return _MADE[kind](data)
    raise ValueError(f"there is no pre-tokenizer {kind!r}")


def _metaspace(data: Mapping[str, Any]) -> Metaspace:
    scheme = data.get("prepend_scheme", "always")
    if data.get("add_prefix_space") is False and scheme != "never":
        raise ValueError("add_prefix_space does not agree with prepend_scheme")
    split = data.get("split")
    return Metaspace(data["replacement"], scheme, True if split is None else split)


_MADE: Final[dict[str, Callable[[Mapping[str, Any]], Step]]] = {
    "BertPreTokenizer": lambda data: Function(bert),
    "WhitespaceSplit": lambda data: Function(whitespace),
    "Whitespace": lambda data: Whitespace(),
    "UnicodeScripts": lambda data: UnicodeScripts(),
    "FixedLength": lambda data: FixedLength(data.get("length", 5)),
    "Punctuation": lambda data: SplitCharacters(
        unicode.is_punctuation, data.get("behavior", "Isolated")
    ),
    "Digits": lambda data: SplitCharacters(
        unicode.is_numeric, "Isolated" if data["individual_digits"] else "Contiguous"
    ),
    "CharDelimiterSplit": lambda data: SplitCharacters(lambda c: c == data["delimiter"], "Removed"),
    "Split": lambda data: Split(regex.from_dict(data["pattern"]), data["behavior"], data["invert"]),
    "ByteLevel": lambda data: ByteLevel(data["add_prefix_space"], data.get("use_regex", True)),
    "Metaspace": _metaspace,
    "Sequence": lambda data: Sequence([from_dict(step) for step in data["pretokenizers"]]),
    "piecework.Dictionary": lambda data: Dictionary(
        tuple(data["phrases"]), data.get("single_word", False)
    ),
}
