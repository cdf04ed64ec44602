"""Defines regular expressions, and the setting that is one or a plain string."""

from __future__ import annotations

import re
from typing import Any

from piecework._exceptions import to_utf8
from piecework._messages import shown
from piecework._settings.fields import TEXT, Kind, Mismatch, members, under
from piecework._settings.immutable import Immutable, dataclass
from piecework.errors import ConfigError

_ESCAPES_AND_SETS = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", re.DOTALL)


_DIFFERENT_SYNTAX = re.compile(r"[$^]|\{\d+(?:,\d*)?\}\+")


def differs_in_oniguruma(pattern: str) -> bool:
    r"""Returns whether Oniguruma reads a pattern differently from tiktoken's engine.

    In Oniguruma ``^`` and ``$`` also match at line starts and ends, and ``{1,3}+`` repeats the group instead of being
    possessive.

    >>> differs_in_oniguruma(r"\p{N}{1,3}+"), differs_in_oniguruma(r"[$^]|\$|\w+|\s+\z")
    (True, False)
    """
    return _DIFFERENT_SYNTAX.search(_ESCAPES_AND_SETS.sub("x", pattern)) is not None


@dataclass(frozen=True)
class Regex(Immutable):
    r"""Marks a pattern as a regular expression, since plain strings are matched literally.

    Args:
        pattern: The expression in Oniguruma's syntax, which ``tokenizers`` uses too.

    >>> Regex(r"\s+").pattern
    '\\s+'
    """

    pattern: str

    def __post_init__(self) -> None:
        """Checks the type."""
        if not isinstance(self.pattern, str):
            raise ConfigError(f"expected a string, found {shown(self.pattern)}", setting="pattern")
        to_utf8(self.pattern)


class Pattern(Kind):
    """Checks a plain string or a regular expression; in JSON ``{"String": …}`` or ``{"Regex": …}``."""

    def check(self, value: Any) -> str | Regex:
        return value if isinstance(value, Regex) else TEXT.check(value)

    def read(self, data: Any) -> str | Regex:
        pattern = members(data)
        if len(pattern) != 1 or not pattern.keys() <= {"String", "Regex"}:
            raise Mismatch(f"expected either 'String' or 'Regex', found {shown(data)}")
        ((kind, value),) = pattern.items()
        with under(f".{kind}"):
            text = TEXT.check(value)
        return Regex(text) if kind == "Regex" else text

    def write(self, value: str | Regex) -> dict[str, str]:
        return {"Regex": value.pattern} if isinstance(value, Regex) else {"String": value}


PATTERN = Pattern()
