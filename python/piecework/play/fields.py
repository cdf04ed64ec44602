"""Reads the members of a request, and refuses unknown, missing and oversized ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from piecework._messages import did_you_mean, shown
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_TEXT = 2_000_000
"""The largest number of characters of a text."""


class Fields:
    """Holds the members of a JSON object, each of which is read once.

    >>> fields = Fields(b'{"text": "hugs", "count": 3}')
    >>> fields.text("text"), fields.integer("count", 0, 10)
    ('hugs', 3)
    >>> fields.end()
    """

    def __init__(self, body: bytes) -> None:
        """Reads an object.

        Raises:
            ConfigError: The body is not a JSON object.
        """
        try:
            members = json.loads(body)
        except (ValueError, RecursionError):
            members = None
        if not isinstance(members, dict):
            raise ConfigError("expected a JSON object")
        self._members: dict[str, Any] = members
        self._read: list[str] = []

    def end(self) -> None:
        """Raises ConfigError if there is a member that was not read."""
        for name in self._members:
            hint = did_you_mean(name, self._read)
            raise ConfigError(f"unknown member {shown(name)}", hint=hint)

    def has(self, name: str) -> bool:
        """Returns whether there is such a member that is not null."""
        return self._members.get(name) is not None

    def _take(self, name: str, kind: type, expected: str, default: Any = ...) -> Any:
        self._read.append(name)
        value = self._members.pop(name, None)
        if value is None and default is not ...:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ConfigError(f"expected {expected}, found {shown(value)}", setting=name)
        return value

    def text(self, name: str, limit: int = MAX_TEXT) -> str:
        """Returns a text.

        Raises:
            ConfigError: It is missing, no text, or longer than the limit.
        """
        text: str = self._take(name, str, "a text")
        _check_size(name, len(text), limit)
        return text

    def optional_text(self, name: str, limit: int = MAX_TEXT) -> str | None:
        """Returns a text, or None if it is missing or null.

        Raises:
            ConfigError: It is no text, or longer than the limit.
        """
        return self.text(name, limit) if self.has(name) else self._take(name, str, "a text", None)

    def flag(self, name: str) -> bool:
        """Returns true or false, which is the default."""
        return bool(self._take(name, bool, "true or false", default=False))

    def integer(self, name: str, least: int, most: int, default: Any = ...) -> int:
        """Returns an integer of a range.

        Raises:
            ConfigError: It is missing without a default, no integer, or outside of the range.
        """
        number: int = self._take(name, int, "an integer", default)
        if number is not default and not least <= number <= most:
            message = f"expected an integer from {least} to {most}, found {number}"
            raise ConfigError(message, setting=name)
        return number

    def choice(self, name: str, choices: Collection[str], default: Any = ...) -> str:
        """Returns one of several texts.

        Raises:
            ConfigError: It is none of them.
        """
        value: str = self._take(name, str, "a text", default)
        if value is not default and value not in choices:
            raise ConfigError(
                f"expected one of {', '.join(choices)}; found {shown(value)}",
                setting=name,
                hint=did_you_mean(value, choices),
            )
        return value

    def texts(self, name: str, most: int, limit: int = 1000) -> list[str]:
        """Returns a list of 1 to `most` different texts.

        Raises:
            ConfigError: It is no such list.
        """
        values = self._take(name, list, "a list of texts")
        if not all(isinstance(each, str) and len(each) <= limit for each in values):
            raise ConfigError("expected a list of texts", setting=name)
        if not 1 <= len(values) <= most or len(set(values)) < len(values):
            raise ConfigError(f"expected 1 to {most} different texts", setting=name)
        return list(values)

    def pairs(self, name: str, most: int, limit: int = MAX_TEXT) -> dict[str, str]:
        """Returns an object of 1 to `most` texts by their names.

        Raises:
            ConfigError: It is no such object, or the texts are longer than the limit in all.
        """
        values = self._take(name, dict, "an object of texts")
        if not all(isinstance(each, str) for each in values.values()):
            raise ConfigError("expected an object of texts", setting=name)
        if not 1 <= len(values) <= most:
            raise ConfigError(f"expected 1 to {most} texts, found {len(values)}", setting=name)
        _check_size(name, sum(map(len, values.values())), limit)
        return dict(values)

    def span(self, name: str) -> tuple[int, int] | None:
        """Returns a start and an end, or None.

        Raises:
            ConfigError: It is no list of two integers.
        """
        value = self._take(name, list, "a start and an end", default=None)
        if value is None:
            return None
        if len(value) != 2 or not all(type(each) is int for each in value):
            raise ConfigError(f"expected a start and an end, found {shown(value)}", setting=name)
        return value[0], value[1]


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        message = f"expected at most {limit:,} characters, found {size:,}"
        raise ConfigError(message, setting=name)
