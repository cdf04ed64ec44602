"""Bounds what a template may compute: steps, characters, and the sizes of nested values.

A template is a program of somebody else. Its steps are counted, not its time, so that the same chat always has the same
result: the items of loops, calls, and the sizes of the values that one call reads or makes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from jinja2.utils import Namespace

from piecework.errors import ChatTemplateError

if TYPE_CHECKING:
    from piecework._settings.limiting import TemplateLimits

_STEPS_PER_VALUE, _STEPS_PER_CHARACTER, _CHARACTERS_PER_CHARACTER = 10_000, 2, 4
_MADE, _MADE_PER_CHARACTER = 1 << 26, 64
_LARGEST_WIDTH = 10_000
"""The largest number that sets the length of a result, such as that of a placeholder."""
_LARGEST_BITS = 4096
_CHARACTERS_PER_STEP = 1024
_SHORT = 64
"""The length up to which texts are not counted: their number is, as steps."""

_WIDE = re.compile(r"\d{5,}")
_WIDTH = re.compile(r"\d{2,}")
_VARIABLE_WIDTH = re.compile(r"\*|\{[^{}]*\{")


_RAISE = "if you trust the template, pass `limits=pw.Limits({}=...)` to Tokenizer.from_folder"


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
        self._free = _MADE + _MADE_PER_CHARACTER * characters

    def spend(self, steps: int) -> None:
        """Counts steps; raises ChatTemplateError when none is left."""
        self._steps -= steps
        if self._steps < 0:
            raise ChatTemplateError(
                "the template computes too much: it exceeds its limit of steps",
                hint=_RAISE.format("template_steps"),
            )

    def read(self, characters: int) -> None:
        """Counts the steps of reading a text of some length."""
        if characters >= _CHARACTERS_PER_STEP:
            self.spend(characters // _CHARACTERS_PER_STEP)

    def make(self, characters: int) -> None:
        """Counts the characters of a text that is made; raises ChatTemplateError if they are too many."""
        if characters > self.most_characters:
            raise ChatTemplateError(
                f"the template writes a text of over {self.most_characters:,} characters",
                hint=_RAISE.format("template_characters"),
            )
        if characters > _SHORT:
            self._free -= characters
            self.check_room(0)

    def check_room(self, characters: int) -> None:
        """Raises ChatTemplateError if a text of some length would exceed the limit of all texts together."""
        if characters > self._free:
            raise ChatTemplateError(
                "the template makes too much text: it exceeds its limit of characters"
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

    def measure(self, value: Any, indent: int = 0) -> int:
        """Returns the number of characters that a value has at least as text, and counts its nested values.

        Values may contain others many times, so a small program can make one of an enormous size.

        Args:
            value: The value.
            indent: The number of spaces before a nested value, for each level.
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
                    self.spend(4 * len(each))
                    inner += each.keys()
                    inner += each.values()
                elif isinstance(each, list | tuple):
                    self.spend(2 * len(each))
                    inner += each
                elif isinstance(each, Namespace):
                    held = object.__getattribute__(each, "_Namespace__attrs")
                    self.spend(2 * len(held))
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
        if _WIDE.search(pattern):
            raise ChatTemplateError("the template asks for a width of over 4 digits")
        longest = sum(map(self.measure, values))
        if _VARIABLE_WIDTH.search(pattern):
            self.check_width(values)
            longest += _LARGEST_WIDTH
        elif _WIDTH.search(pattern):
            longest += max(map(int, _WIDTH.findall(pattern)))
        if any(isinstance(value, int | float) for value in values):
            longest += _LARGEST_BITS
        number = str.count(pattern, sign)
        self.spend(number)
        self.make(str.__len__(pattern))
        self.check_room(min(number, 1) * longest)
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
