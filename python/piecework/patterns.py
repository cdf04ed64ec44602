"""What is looked for in a text: a plain string, or a regular expression."""

from __future__ import annotations

from dataclasses import dataclass

from piecework.errors import ConfigError, to_utf8

__all__ = ["Regex"]


@dataclass(frozen=True)
class Regex:
    r"""A regular expression, where a plain string would be looked for as it is.

    Args:
        pattern: The expression, in the syntax of Oniguruma, which ``tokenizers`` has too.

    >>> Regex(r"\s+").pattern
    '\\s+'
    """

    pattern: str

    def __post_init__(self) -> None:
        """Check the type."""
        if not isinstance(self.pattern, str):
            raise ConfigError(f"pattern: expected a string, found {self.pattern!r}")
        to_utf8(self.pattern)
