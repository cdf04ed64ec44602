"""Raises errors of options, and writes errors and warnings with the options of a verb instead of Python settings."""

from __future__ import annotations

import ast
import re
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from piecework._messages import MessageParts, shown, with_hint

if TYPE_CHECKING:
    from collections.abc import Mapping


_PARAMETERS = {
    "truncation": "no_truncation",
    "padding": "no_padding",
    "strategy": "truncation_strategy",
    "alpha": "sample",
    "format": "tokenizer_format",
}
"""The parameters of verbs for settings of other names."""
_ARGUMENTS = {"paths": "FILE", "texts": "FILE"}
"""The arguments of verbs for settings that no option has."""
_FLAGS = {"--no-truncation", "--no-padding", "--sample"}
"""Options without a value, whatever the value of the setting."""
_LIMIT = re.compile(r"pw\.Limits\((\w+)=([\d.]+)\)")
_ANY = "..."
"""The value of a setting in a hint that leaves the value open."""


def option_of(name: str, *, repeats: bool = False) -> str:
    """Returns the long option of a parameter; if it repeats, it has its name in the singular.

    >>> option_of("vocab_size"), option_of("special_tokens", repeats=True)
    ('--vocab-size', '--special-token')
    """
    return f"--{(name.removesuffix('s') if repeats else name).replace('_', '-')}"


class OptionError(click.BadParameter):
    """Is raised for an option, or argument, whose value is invalid or does not fit the others."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(problem, param_hint=option)


def refuse(given: Mapping[str, object], problem: str) -> None:
    """Raises OptionError for the first of some parameters that is given, which means not None."""
    for name, value in given.items():
        if value is not None:
            option = option_of(name)
            raise OptionError(negated(option) if value is False else option, problem)


def number_or(word: str, text: str, option: str, *, digits: int) -> int | None:
    """Returns the number that is the value of an option, or None for the word that stands for none.

    Raises:
        OptionError: It is neither.
    """
    if text == word:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        raise OptionError(option, f"expected a number or {word}, found {shown(text)}")
    return int(text)


class Options:
    """Writes messages with the options of a verb."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Creates a writer.

        Args:
            options: The options of the verb by the names of its parameters.
        """
        self._options = options

    def message(self, error: MessageParts) -> str:
        """Returns the message of an error or warning.

        >>> from piecework.errors import ConfigError
        >>> error = ConfigError("5 is too small", setting="vocab_size", hint="raise `vocab_size`")
        >>> Options({"vocab_size": "--vocab-size"}).message(error)
        '--vocab-size: 5 is too small; raise --vocab-size'
        """
        setting = f"{self._named(error.setting)}: " if error.setting else ""
        return with_hint(f"{error.place}{setting}{error.problem}", self.hint(error.hint))

    def hint(self, hint: str | None) -> str | None:
        """Returns a hint, in which settings are between backticks, with their options.

        >>> options = Options({"errors": "--errors", "lowercase": "--lowercase"})
        >>> options.hint('pass `errors="replace"` or `lowercase=False`, not `x=1`')
        'pass --errors replace or --no-lowercase, not `x=1`'
        >>> Options({"special_tokens": "--special-token"}).hint("pass `special_tokens=['<s>', 'b']`")
        "pass --special-token '<s>' --special-token b"
        >>> Options({}).hint("pass `limits=pw.Limits(entries=3)`")
        'pass piecework --limit entries 3 VERB'
        >>> Options({"fail_over": "--fail-over"}).hint("pass `fail_over={'fertility': 2}`")
        'pass --fail-over fertility=2'
        """
        if hint is None:
            return None
        texts = hint.split("`")
        texts[1::2] = [self._assigned(text) for text in texts[1::2]]
        return "".join(texts)

    def _named(self, setting: str) -> str:
        """Returns the option of a setting, or of the setting that contains it; without option, its own name."""
        name = setting.partition(".")[0].partition("[")[0]
        return self._options.get(name) or self._option(name) or _ARGUMENTS.get(name, setting)

    def _assigned(self, text: str) -> str:
        """Returns the option for `name` or `name=value`; without option, the text between backticks."""
        name, _, value = text.partition("=")
        if name == "limits":  # an option of the program
            return _LIMIT.sub(r"piecework --limit \1 \2 VERB", value)
        option = self._option(name)
        return f"`{text}`" if option is None else _with_value(option, value or _ANY)

    def _option(self, setting: str) -> str | None:
        return self._options.get(_PARAMETERS.get(setting, setting))


def _with_value(option: str, text: str) -> str:
    """Returns an option with the value that a Python expression gives its setting."""
    value = _value(text)
    if value is True or value is _ANY or option in _FLAGS:
        return option
    if value is False:
        return negated(option)
    if value is None:
        return f"{option} ''" if option == "--unk-token" else f"{option} none"
    if isinstance(value, list):
        return " ".join(f"{option} {quote(str(each))}" for each in value)
    if isinstance(value, dict):
        return " ".join(f"{option} {quote(f'{name}={each}')}" for name, each in value.items())
    if option == "--truncation-strategy":
        value = value.replace("_", "-")
    return f"{option} {quote(str(value))}"


def negated(option: str) -> str:
    """Returns the option that switches another one off."""
    return f"--no-{option.removeprefix('--')}"


def _value(text: str) -> Any:
    """Returns the value of a literal, or `_ANY` for another expression, which no option can express."""
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return _ANY
    return _ANY if value is ... else value
