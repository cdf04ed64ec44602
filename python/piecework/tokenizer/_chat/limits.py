"""Bounds what a template may compute: steps, characters, and the sizes of nested values.

A template is a program of somebody else. Its steps are counted, not its time, so that the same chat always has the same
result: the items of loops, calls, and the sizes of the values that one call reads or makes.
"""

from __future__ import annotations

import re
from typing import Any

from jinja2.runtime import Undefined
from jinja2.utils import Namespace

from piecework.errors import ChatTemplateError

_STEPS, _STEPS_PER_VALUE = 3_000_000, 10_000
_CHARACTERS, _CHARACTERS_PER_CHARACTER = 1 << 24, 4
_LARGEST_WIDTH = 10_000
"""The largest number that sets the length of a result, such as that of `center`."""
_LARGEST_BITS = 4096
_CHARACTERS_PER_STEP = 1024
_VALUES_AT_ONCE = 1024
"""The number of values that are counted before the limit is checked again."""

_WIDE = re.compile(r"\d{5,}")
_VARIABLE_WIDTH = re.compile(r"\*|\{[^{}]*\{")


class Limits:
    """Counts the steps of one rendering.

    Attributes:
        most_characters: The maximum length of the output, and of any text that a template makes.
    """

    def __init__(self, values: int, characters: int) -> None:
        """Sets limits that grow with the input: the number of its values and of their characters."""
        self.most_characters = _CHARACTERS + _CHARACTERS_PER_CHARACTER * characters
        self._steps = _STEPS + _STEPS_PER_VALUE * values

    def spend(self, steps: int) -> None:
        """Counts steps; raises ChatTemplateError when none is left."""
        self._steps -= steps
        if self._steps < 0:
            raise ChatTemplateError("the template computes too much: it exceeds its limit of steps")

    def check_length(self, characters: int) -> None:
        """Counts the steps of a text of some length; raises ChatTemplateError if it is too long."""
        if characters > self.most_characters:
            raise ChatTemplateError(
                f"the template writes a text of over {self.most_characters:,} characters"
            )
        if characters > _CHARACTERS_PER_STEP:
            self.spend(characters // _CHARACTERS_PER_STEP)

    def check_result(self, value: Any) -> Any:
        """Returns the result of a call, whose size is counted."""
        kind = type(value)
        if kind is str:
            self.check_length(str.__len__(value))
        elif kind is list or kind is tuple:
            self.spend(len(value))
        elif kind is dict or issubclass(kind, Namespace):
            self.measure(value)
        return value

    def count_input(self, value: Any) -> None:
        """Counts the size of a value that a call reads once."""
        if isinstance(value, str):
            if (length := str.__len__(value)) > _CHARACTERS_PER_STEP:
                self.check_length(length)
        elif hasattr(value, "__len__") and not isinstance(value, Undefined):
            self.spend(len(value))

    def measure(self, value: Any) -> int:
        """Returns the number of characters that a value has at least as text, and counts its nested values.

        Values may contain others many times, so a small program can make one of an enormous size.
        """
        stack, characters, values = [value], 0, 0
        while stack:
            value = stack.pop()
            values += 1
            if isinstance(value, str):
                characters += str.__len__(value)
            elif isinstance(value, dict):
                stack += value.keys()
                stack += value.values()
            elif isinstance(value, list | tuple):
                stack += value
            elif isinstance(value, Namespace):
                stack += object.__getattribute__(value, "_Namespace__attrs").values()
            if values == _VALUES_AT_ONCE:
                self.spend(2 * values)
                characters += 2 * values
                self.check_length(characters)
                values = 0
        self.spend(2 * values)
        return characters + 2 * values

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
        if _VARIABLE_WIDTH.search(pattern):
            self.check_width(values)
        longest = self.measure(values)
        self.check_length(str.__len__(pattern) + pattern.count(sign) * longest)

    def check_operation(self, operator: str, left: Any, right: Any) -> None:
        """Checks the size of what a binary operator makes, before it is made."""
        if operator == "%" and isinstance(left, str):
            values = right.values() if isinstance(right, dict) else right
            self.check_format(left, "%", values if isinstance(values, tuple) else (right,))
        elif operator == "*":
            self._check_product(left, right)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            self._check_bits(left.bit_length() * max(right, 1))
        elif operator == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
            self.spend(len(left) + len(right))

    def _check_product(self, left: Any, right: Any) -> None:
        if isinstance(left, int) and isinstance(right, int):
            self._check_bits(left.bit_length() + right.bit_length())
        for value, times in ((left, right), (right, left)):
            if isinstance(times, int):
                if isinstance(value, str):
                    self.check_length(str.__len__(value) * times)
                elif isinstance(value, list | tuple):
                    self.spend(max(len(value) * times, 0))

    def _check_bits(self, bits: int) -> None:
        if bits > _LARGEST_BITS:
            raise ChatTemplateError(
                f"the template computes a number of over {_LARGEST_BITS:,} bits"
            )
