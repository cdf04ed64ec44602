"""Bounds what a template may compute: steps, characters, and the sizes of nested values.

A template is a program of somebody else. Its steps are counted, not its time, so that the same chat always has the same
result: the items of loops, calls, and the sizes of the values that one call reads or makes. A step takes at most about half a
microsecond. Work on characters is counted in comparisons of two characters, of which a step has 512: each method, operator,
filter and test counts the characters that it reads, times the comparisons that take the time of one of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from jinja2.utils import Namespace

from piecework.errors import ChatTemplateError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from piecework._settings.limiting import TemplateLimits

_STEPS_PER_VALUE, _STEPS_PER_CHARACTER, _CHARACTERS_PER_CHARACTER = 2000, 1, 4
_STEPS_OF_PLACEHOLDER = 2
_TEXTS, _MADE_PER_CHARACTER = 4, 64
"""The number of texts of the maximum length that a template makes, and the characters for each of the input."""
_LARGEST_WIDTH = 10_000
"""The largest number that sets the length of a result, such as that of a placeholder."""
_LARGEST_BITS = 1024
_COMPARISONS_PER_STEP = 512
CLASSIFIED, CONVERTED, CASED = 8, 32, 128
"""The comparisons that take the time of testing the class of a character, writing it in another way, changing its case."""
_FEW_COMPARISONS = 1 << 14
_SHORT_NEEDLE, _FEW_PLACES = 100, 2500
"""CPython compares each place with a shorter text than this, or the last places, so its search is not linear for them."""
_LARGEST_HASH, _MOST_EQUAL_HASHES = 60, 64
"""The bits of integers whose hashes differ, and the most keys of other kinds; hashes of texts are random."""
_SHORT = 64
"""The length up to which texts are not counted: their number is, as steps."""
_SEQUENCES: tuple[type[Any], ...] = (
    list,
    tuple,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)
MEASURED = frozenset({dict, *_SEQUENCES})
"""The classes whose values contain others."""

_WIDE = re.compile(r"\d{5,}")
_WIDTH = re.compile(r"\d{2,}")
_VARIABLE_WIDTH = re.compile(r"\*|\{[^{}]*\{")


_RAISE = "if you trust the template, pass `limits=pw.Limits({}=...)` to Tokenizer.from_folder"


def _too_many_steps() -> ChatTemplateError:
    return ChatTemplateError(
        "the template computes too much: it exceeds its limit of steps",
        hint=_RAISE.format("template_steps"),
    )


class Budget:
    """Counts the steps and the characters of one rendering.

    Attributes:
        most_characters: The maximum length of the output, and of any text that a template makes.
    """

    def __init__(self, allowed: TemplateLimits, values: int, characters: int) -> None:
        """Sets limits that grow with the input.

        Args:
            allowed: The limits of every input.
            values: The number of its values.
            characters: The number of their characters.
        """
        self.most_characters = allowed.characters + _CHARACTERS_PER_CHARACTER * characters
        self._steps = allowed.steps + _STEPS_PER_VALUE * values + _STEPS_PER_CHARACTER * characters
        self._free = _TEXTS * allowed.characters + _MADE_PER_CHARACTER * characters

    def spend(self, steps: int) -> None:
        """Counts steps; raises ChatTemplateError when none is left."""
        self._steps -= steps
        if self._steps < 0:
            raise _too_many_steps()

    def read(self, comparisons: int) -> None:
        """Counts the steps of comparing characters, or of other work of that time."""
        self._steps -= comparisons // _COMPARISONS_PER_STEP
        if self._steps < 0:
            raise _too_many_steps()

    def search(self, length: int, needle: int, *, backwards: bool = False) -> None:
        """Counts the steps of a search for a text in another.

        Args:
            length: The number of characters of the text that is searched.
            needle: That of the text that is searched for.
            backwards: Whether the search is from the end, which CPython does place by place.
        """
        places = length - needle + 1
        comparisons = length + places * needle if places > 0 else length
        if comparisons >= _FEW_COMPARISONS and not backwards:
            comparisons = min(comparisons, _SHORT_NEEDLE * length + _FEW_PLACES * needle)
        self.read(comparisons)

    def check_keys(self, keys: Iterable[Any]) -> None:
        """Raises ChatTemplateError for many keys whose hashes may be equal, so that each lookup compares all of them."""
        number = 0
        for key in keys:
            if not isinstance(key, str):
                number += isinstance(key, tuple) or (
                    isinstance(key, int) and key.bit_length() > _LARGEST_HASH
                )
        if number > _MOST_EQUAL_HASHES:
            raise ChatTemplateError(
                f"the template makes a mapping of over {_MOST_EQUAL_HASHES} keys that are long numbers or tuples"
            )

    def make(self, characters: int) -> None:
        """Counts the characters of a text that is made; raises ChatTemplateError if they are too many."""
        if characters > self.most_characters:
            raise ChatTemplateError(
                f"the template writes a text of over {self.most_characters:,} characters",
                hint=_RAISE.format("template_characters"),
            )
        if characters > _SHORT:
            self._free -= characters
            if self._free < 0:
                self.check_free(0)

    def check_free(self, characters: int) -> None:
        """Raises ChatTemplateError if a text of some length would exceed the limit of all texts together."""
        if characters > self._free:
            raise ChatTemplateError(
                "the template makes too much text: it exceeds its limit of characters",
                hint=_RAISE.format("template_characters"),
            )

    def check_result(self, value: Any) -> Any:
        """Returns the result of a call, whose size is counted."""
        kind = type(value)
        if isinstance(value, str):
            self.make(len(value))
        elif kind is list or kind is tuple:
            self.spend(len(value))
        elif kind is int:
            self.check_bits(value.bit_length())
        elif kind is dict or issubclass(kind, Namespace):
            self.measure(value)
        return value

    def measure(self, value: Any, indent: int = 0, steps: int = 2) -> int:
        """Returns the number of characters that a value has at least as text, and counts its nested values.

        Values may contain others many times, so a small program can make one of an enormous size.

        Args:
            value: The value.
            indent: The number of spaces before a nested value, for each level.
            steps: The number of steps for each nested value.
        """
        if isinstance(value, str):
            self.read(length := len(value))
            return length
        level, characters, depth = [value], 0, 0
        while level:
            inner: list[Any] = []
            read = 0
            for each in level:
                if isinstance(each, str):
                    read += len(each)
                elif isinstance(each, dict):
                    self.spend(2 * steps * len(each))
                    self.check_keys(each)
                    inner += each.keys()
                    inner += each.values()
                elif isinstance(each, _SEQUENCES):
                    self.spend(steps * len(each))
                    inner += each
                elif isinstance(each, Namespace):
                    held = object.__getattribute__(each, "_Namespace__attrs")
                    self.spend(steps * len(held))
                    inner += held.values()
            self.read(read)
            characters += read + len(level) * (2 + depth * indent)
            if characters > self.most_characters:
                self.make(characters)
            level = inner
            depth += 1
        return characters

    def check_width(self, values: Any) -> None:
        """Raises ChatTemplateError for a number that would make a result too long."""
        for value in values:
            if isinstance(value, int) and value > _LARGEST_WIDTH:
                raise ChatTemplateError(f"the template asks for a width of {value:,}")

    def check_format(self, pattern: str, sign: str, values: Any) -> None:
        """Checks the lengths of what ``%`` and ``format`` make.

        Args:
            pattern: The text with placeholders.
            sign: The character that starts a placeholder.
            values: The values for them.
        """
        values = list(values)
        self.read(2 * CONVERTED * len(pattern))
        if _WIDE.search(pattern):
            raise ChatTemplateError("the template asks for a width of over 4 digits")
        longest = sum(map(self.measure, values))
        self.read(CONVERTED * longest)
        if _VARIABLE_WIDTH.search(pattern):
            self.check_width(values)
            longest += _LARGEST_WIDTH
        elif _WIDTH.search(pattern):
            longest += max(map(int, _WIDTH.findall(pattern)))
        if any(isinstance(value, int | float) for value in values):
            longest += _LARGEST_BITS
        number = str.count(pattern, sign)
        self.spend(_STEPS_OF_PLACEHOLDER * number)
        self.make(str.__len__(pattern))
        self.check_free(min(number, 1) * longest)
        if number * longest > self.most_characters:
            self.make(number * longest)

    def check_operation(self, operator: str, left: Any, right: Any) -> None:
        """Checks the size of what a binary operator makes, before it is made."""
        if operator == "%" and isinstance(left, str):
            values = right.values() if isinstance(right, dict) else right
            self.check_format(
                left,
                "%",
                tuple(values)
                if values is not right
                else (right if isinstance(right, tuple) else (right,)),
            )
        elif operator == "*":
            self._check_product(left, right)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            self.check_bits(left.bit_length() * max(right, 1))
        elif operator == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
            self.spend(len(left) + len(right))

    def _check_product(self, left: Any, right: Any) -> None:
        if isinstance(left, int) and isinstance(right, int):
            self.check_bits(left.bit_length() + right.bit_length())
        for value, times in ((left, right), (right, left)):
            if isinstance(times, int):
                if isinstance(value, str):
                    self.make(max(len(value) * times, 0))
                elif isinstance(value, list | tuple):
                    self.spend(max(len(value) * times, 0))

    def check_bits(self, bits: int) -> None:
        """Raises ChatTemplateError for an integer that is too large."""
        if bits > _LARGEST_BITS:
            raise ChatTemplateError(
                f"the template computes a number of over {_LARGEST_BITS:,} bits"
            )
