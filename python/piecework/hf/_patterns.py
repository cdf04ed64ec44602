"""Defines regular expressions, and how components hold them."""

from __future__ import annotations

import json
import sys
from typing import Any

from piecework._messages import shown as shortened
from piecework.hf._arguments import is_of_tokenizers, stages, string
from piecework.hf._declared import Kind

_BEHAVIORS = {
    "removed": "Removed",
    "isolated": "Isolated",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}
_SCHEMES = ("first", "never", "always")


class Regex:
    """Holds a regular expression in the syntax of Oniguruma.

    Args:
        s: The expression.

    Raises:
        ValueError: It is invalid.

    >>> from piecework.hf import Regex, normalizers
    >>> normalizers.Replace(Regex("a+"), "b").normalize_str("caat")
    'cbt'
    """

    __slots__ = ("_source",)

    def __init__(self, s: str) -> None:
        """Checks the expression."""
        self._source = string(s)
        split = {"type": "Split", "pattern": {"Regex": s}, "behavior": "Isolated", "invert": False}
        stages(pre_tokenizer=split)  # the core checks the expression


def pattern_state(pattern: Any) -> dict[str, str]:
    """Returns a pattern as JSON values: a string is matched literally, a :class:`Regex` as an expression.

    A `Regex` of `tokenizers` is accepted.
    """
    if isinstance(pattern, str):
        return {"String": pattern}
    if isinstance(pattern, Regex):
        return {"Regex": pattern._source}
    if type(pattern).__name__ == "Regex" and is_of_tokenizers(pattern):
        # It does not show its source, but a component with it does.
        split = sys.modules["tokenizers"].pre_tokenizers.Split(pattern, "isolated")
        state: dict[str, str] = json.loads(split.__getstate__())["pattern"]
        return state
    raise TypeError(f"expected a str or Regex as pattern, found {type(pattern).__name__!r}")


def hidden_pattern(kind: str) -> Kind:
    """Returns the kind of the pattern of a component, which as in `tokenizers` cannot be read or set."""

    def read(_pattern: Any) -> None:
        raise Exception("Cannot get pattern")  # as tokenizers

    def change(_pattern: Any) -> None:
        message = f"Cannot set pattern, please instantiate a new {kind} pattern instead"
        raise Exception(message)  # as tokenizers

    return Kind(change, read, pattern_state)


def behavior(value: Any) -> str:
    """Returns the name in JSON of what happens to a delimiter; an enumeration or its value is accepted."""
    name = getattr(value, "value", value)
    shown = {member.lower(): member for member in _BEHAVIORS.values()}
    if name in shown:
        return shown[name]
    if name not in _BEHAVIORS:
        listed = ", ".join(_BEHAVIORS)
        raise ValueError(
            f"Wrong value for SplitDelimiterBehavior, expected one of: `{listed}`, found {shortened(value)}"
        )
    return _BEHAVIORS[name]


BEHAVIOR = Kind(behavior, str.lower)
"""The kind of what happens to a delimiter."""


def prepend_scheme(value: Any) -> str:
    """Returns where a metaspace is prepended."""
    if string(value) not in _SCHEMES:
        raise ValueError(f"{value} is an unknown variant, should be one of {list(_SCHEMES)}")
    return str(value)
