"""Writes messages of errors and warnings: on one line, with shortened values, and with what to do."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable


_LONGEST = 1000
"""The maximum number of bytes of a message, so that logs contain no whole files."""


_LONGEST_VALUE = 60
"""The maximum number of characters of a value in a message."""


_LINE_ENDS = {
    ord(end): end.encode("unicode_escape").decode()
    for end in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
}


def one_line(message: str) -> str:
    r"""Returns a message on one line of at most 1,000 bytes, without its middle if it is longer.

    :func:`shown` shortens single values; this function handles several values, long paths and names.

    >>> one_line("a\nb"), len(one_line("a" * 70_000))
    ('a\\nb', 997)
    """
    line = message.translate(_LINE_ENDS)
    data = line.encode("utf-8", "backslashreplace")
    if len(data) <= _LONGEST:
        return line
    # The start contains the location, the end the remedy.
    before, after = data[: _LONGEST // 2], data[-(_LONGEST // 2 - 4) :]
    return f"{before.decode('utf-8', 'ignore')}…{after.decode('utf-8', 'ignore')}"


def shown(value: object) -> str:
    """Returns the repr of a value for a message, shortened if it is long.

    >>> shown("a"), len(shown("a" * 70_000))
    ("'a'", 58)
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # such as a number of 5,000 digits, or a failing __repr__
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}…"


class MessageParts:
    """Holds the parts of a message: its place, the setting at fault, the problem and a hint.

    Attributes:
        setting: The name of the setting or argument at fault; None if there is none.
        hint: What to do, with settings between backticks; None if unknown.
        place: The file, line or text, and a colon; empty if there is none.
    """

    setting: str | None
    hint: str | None
    place: str

    def __init__(
        self,
        *args: object,
        setting: str | None = None,
        hint: str | None = None,
        place: str = "",
    ) -> None:
        super().__init__(*args)
        self.setting, self.hint, self.place = setting, hint, place

    @property
    def problem(self) -> str:
        """The message without place, setting and hint."""
        return super().__str__()

    def at(self, place: str) -> Self:
        """Returns a copy whose message begins with a place.

        >>> from piecework.errors import ConfigError
        >>> str(ConfigError("expected 1, found 0", setting="stride").at("line 3"))
        'line 3: stride: expected 1, found 0'
        """
        located = copy.copy(self)
        located.place = f"{place}: {self.place}"
        return located

    def __str__(self) -> str:
        """Returns the message on one line of at most 1,000 bytes."""
        setting = f"{self.setting}: " if self.setting else ""
        return one_line(with_hint(f"{self.place}{setting}{self.problem}", self.hint))

    def __repr__(self) -> str:
        """Returns the class and the message."""
        return f"{type(self).__name__}({str(self)!r})"


def quantity(number: int, noun: str) -> str:
    """Returns a number with a noun, which has an s unless the number is 1.

    >>> quantity(1, "text"), quantity(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def wrong_type(name: str, expected: str, found: object) -> TypeError:
    """Returns the exception for an argument of a wrong type.

    >>> wrong_type("text", "a str", 3)
    TypeError('text: expected a str, found 3')
    """
    return TypeError(f"{name}: expected {expected}, found {shown(found)}")


def did_you_mean(name: object, known: Iterable[str]) -> str | None:
    """Returns the hint for a misspelled name; None if no known name is similar."""
    similar = closest(name, known) if isinstance(name, str) else None
    return f"did you mean {similar!r}?" if similar else None


def closest(name: str, known: Iterable[str]) -> str | None:
    """Returns the most similar known name, whatever the case of its letters; None if none is similar."""
    import difflib

    plain = {each.casefold(): each for each in known}
    return next(
        (plain[each] for each in difflib.get_close_matches(name.casefold(), plain, 1)), None
    )


def with_hint(problem: str, hint: str | None) -> str:
    """Returns a message with a hint at its end.

    >>> with_hint("the file is empty", "write a token"), with_hint("no", None)
    ('the file is empty; write a token', 'no')
    """
    return f"{problem}; {hint}" if hint else problem
