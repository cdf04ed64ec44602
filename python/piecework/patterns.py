"""Patterns: what some components look for in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Regex"]


@dataclass(frozen=True)
class Regex:
    r"""A regular expression, where a plain string would be looked for as it stands.

    The syntax and the Unicode tables are those of Oniguruma, for which the patterns of a ``tokenizer.json``
    are written; Python's differ. The component that takes it says whether it compiles.

    Args:
        pattern: The expression.

    >>> import piecework as pw
    >>> pw.decoders.Replace(pw.Regex(r"\s+"), " ").decode(["to  ", "be"])
    'to be'
    """

    pattern: str


def pattern_to_dict(pattern: str | Regex) -> dict[str, Any]:
    """Give a pattern as ``tokenizer.json`` writes it."""
    if isinstance(pattern, Regex):
        return {"Regex": pattern.pattern}
    return {"String": pattern}


def pattern_from_dict(parts: dict[str, Any]) -> str | Regex:
    """Give the pattern that ``pattern_to_dict`` wrote."""
    return Regex(parts["Regex"]) if "Regex" in parts else str(parts["String"])
