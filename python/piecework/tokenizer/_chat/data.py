"""Copies what a chat consists of: as plain values for a template, and with sentinels for its texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from piecework.errors import ChatTemplateError, ConfigError
from piecework.tokenizer._chat.marked import ROLE, MarkTable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence


REASONING = ("reasoning_content", "thinking", "reasoning")
"""The names of a message's reasoning; templates read the first, or the second."""

ROLES = frozenset(
    "system developer user assistant tool function ipython model human gpt chatbot bot environment observation documents "
    "tool_response tool_result tool_results tool_call tool_calls control context critic".split()
)
"""The roles that models know. Templates make control tokens of them, such as ``<|user|>``."""

WORDS = tuple(
    "role content type text name function arguments parameters properties description required id tool_calls tool_call_id "
    "tools documents title reasoning_content thinking reasoning return items enum default format anyOf object string number "
    "integer boolean array null image image_url video audio file url input output".split()
)
"""The names of members and types that chats consist of, which are not texts of a user."""


_DEEPEST = 200
"""The number of lists and mappings in each other."""


class Size:
    """Counts the values of a chat, and their characters."""

    def __init__(self) -> None:
        self.values = self.characters = self.depth = 0


class Opaque:
    """Represents a value that a template cannot write, such as an image or bytes."""

    __slots__ = ("_kind",)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        """Returns the name of the type."""
        return f"<{self._kind}>"

    def __str__(self) -> str:
        """Raises ChatTemplateError."""
        raise ChatTemplateError(
            f"the template writes a value of the type {self._kind}",
            hint="a chat consists of texts, numbers, lists and mappings; pass this value as a text",
        )


def plain(value: Any, size: Size) -> Any:
    """Returns a value as JSON values; of another kind of value a template can only test whether it is there.

    A template gets no object with methods that could access files.

    >>> plain({"a": (1, b"")}, Size())
    {'a': (1, <bytes>)}
    """
    size.values += 1
    kind = type(value)
    if kind is str:
        size.characters += len(value)
        return value
    if value is None or kind in {int, float, bool}:
        return value
    size.depth += 1
    if size.depth > _DEEPEST:
        raise RecursionError
    try:
        if isinstance(value, Mapping):
            return {plain(key, size): plain(item, size) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item, size) for item in value]
        if isinstance(value, tuple):
            return tuple(plain(item, size) for item in value)
        return _unusual(value, size)
    finally:
        size.depth -= 1


def plain_variable(place: str, value: Any, size: Size) -> Any:
    """Returns a value as JSON values.

    Raises:
        ConfigError: It is nested too deeply.
    """
    try:
        return plain(value, size)
    except RecursionError:
        raise nested_too_deeply(place) from None


def nested_too_deeply(place: str) -> ConfigError:
    """Returns the error of a value that is nested too deeply."""
    return ConfigError(
        f"its values are nested too deeply: at most {_DEEPEST} are supported", setting=place
    )


_BASES: dict[type[Any], Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}


def _unusual(value: Any, size: Size) -> Any:
    """Returns a value of a class of its own as JSON values."""
    # Subclasses, such as members of an enum, may have methods of their own.
    for kind, convert in _BASES.items():
        if isinstance(value, kind):
            return plain(convert(value), size)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: plain(getattr(value, field.name), size) for field in fields}
    if callable(dump := getattr(value, "model_dump", None)):  # a model of pydantic
        return plain(dump(), size)
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return plain(value.item(), size)
    return Opaque(type(value).__name__)


def plain_messages(messages: Any, size: Size) -> list[dict[str, Any]]:
    """Returns the messages of a chat as plain values, without members that are None.

    Raises:
        TypeError: The messages are no sequence, or one of them is no mapping.
        ConfigError: There are no messages, or one has no role.
    """
    if isinstance(messages, str | bytes | Mapping) or not hasattr(messages, "__iter__"):
        raise TypeError("messages: expected a list of mappings with 'role' and 'content'")
    copies = [_plain_message(number, message, size) for number, message in enumerate(messages)]
    if not copies:
        raise ConfigError("expected at least one message", setting="messages")
    return copies


def _plain_message(number: int, message: Any, size: Size) -> dict[str, Any]:
    place = f"messages[{number}]"
    if not isinstance(message, Mapping):
        kind = type(message).__name__
        raise TypeError(f"{place}: expected a mapping with 'role' and 'content', found a {kind}")
    if not isinstance(message.get("role"), str):
        raise ConfigError("expected a member 'role' with a text", setting=place)
    try:
        copy = {}
        for key, item in message.items():
            if type(item) is str and type(key) is str:  # most members, without a call for each
                copy[key] = item
                size.values += 1
                size.characters += len(item)
            elif item is not None:
                copy[plain(key, size)] = plain(item, size)
    except RecursionError:
        raise nested_too_deeply(place) from None
    reasoning = next((copy[name] for name in REASONING if copy.get(name) is not None), None)
    return (
        copy
        if reasoning is None
        else {"thinking": reasoning, **copy, "reasoning_content": reasoning}
    )


def plain_tools(tools: Any, size: Size) -> list[Any] | None:
    """Returns the JSON schemas of tools as plain values.

    Raises:
        TypeError: A tool is no mapping.
    """
    return _mappings("tools", tools, size, "a JSON schema; write one for a function of Python")


def plain_documents(documents: Any, size: Size) -> list[Any] | None:
    """Returns documents as plain values.

    Raises:
        TypeError: A document is no mapping.
    """
    return _mappings("documents", documents, size, "a mapping, such as one with 'title' and 'text'")


def _mappings(name: str, values: Any, size: Size, expected: str) -> list[Any] | None:
    if values is None:
        return None
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: expected a list of mappings")
    copies = []
    for number, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise TypeError(
                f"{name}[{number}]: expected {expected}; found a {type(value).__name__}"
            )
        copies.append(plain_variable(f"{name}[{number}]", value, size))
    return copies


class Marker:
    """Replaces the texts of plain values by sentinels.

    Args:
        table: Gets the texts.
        words: Names of members and types that need no sentinel.
    """

    def __init__(self, table: MarkTable, words: Container[str]) -> None:
        self._table, self._words = table, words

    def messages(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns messages with sentinels for all texts but known roles."""
        return [self._message(message) for message in messages]

    def _message(self, message: dict[str, Any]) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        mark, words = self._table.mark, self._words
        for key, item in message.items():
            if key == "role":
                copy[key] = item if item in ROLES else mark(item, ROLE)
            elif type(item) is str and key in words:
                copy[key] = mark(item)
            else:
                copy[self._key(key)] = self._member(key, item)
        return copy

    def value(self, value: Any) -> Any:
        """Returns a value with sentinels for all its texts but known names of members and types."""
        if isinstance(value, str):
            return self._table.mark(value)
        if isinstance(value, dict):
            return {self._key(key): self._member(key, item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, tuple):
            return tuple(map(self.value, value))
        return value

    def _key(self, key: Any) -> Any:
        return key if key in self._words else self.value(key)

    def _member(self, key: Any, value: Any) -> Any:
        if key == "type" and isinstance(value, str) and value in self._words:
            return value
        return self.value(value)
