"""Checks arguments that are tokenizers, and converts those of :mod:`piecework.hf`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from piecework._messages import shown, wrong_type
from piecework._settings.arguments import check_str
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework.tokenizer._tokenizer import Tokenizer


class TokenizerLike(Protocol):
    """Describes a tokenizer of piecework: a `Tokenizer`, or one of :mod:`piecework.hf`."""

    def _to_piecework(self) -> Tokenizer:
        """Returns it as a `Tokenizer`."""


def as_tokenizer(name: str, value: Any) -> Tokenizer:
    """Returns an argument that is a tokenizer of piecework; one of :mod:`piecework.hf` is converted.

    Raises:
        TypeError: It is anything else; the message says how to convert a tokenizer of another library.

    >>> as_tokenizer("tok", "tokenizer.json")
    Traceback (most recent call last):
    ...
    TypeError: tok: expected a piecework.Tokenizer, found 'tokenizer.json'; load it: piecework.Tokenizer.from_file('tokenizer.json')
    """
    convert = getattr(value, "_to_piecework", None)
    if convert is not None and not isinstance(value, type):
        tokenizer: Tokenizer = convert()
        return tokenizer
    expected = "a piecework.Tokenizer"
    if isinstance(value, str | os.PathLike):
        raise TypeError(
            f"{wrong_type(name, expected, value)}; load it: piecework.Tokenizer.from_file({shown(value)})"
        )
    library = type(value).__module__.partition(".")[0]
    if library not in _CONVERSIONS:
        raise wrong_type(name, expected, value)
    found = f"a {type(value).__name__} of {library}"
    raise TypeError(
        f"{name}: expected {expected}, found {found}; pass {_CONVERSIONS[library].format(name)}"
    )


def named_tokenizers(tokenizers: Any) -> dict[str, Tokenizer]:
    """Returns tokenizers by their names: those of a mapping, or numbers from 1 for several in a list.

    >>> named_tokenizers([])
    Traceback (most recent call last):
    ...
    piecework.errors.ConfigError: tokenizers: expected at least one tokenizer, found none
    """
    if isinstance(tokenizers, list | tuple):
        tokenizers = {str(number): each for number, each in enumerate(tokenizers, 1)}
    if not isinstance(tokenizers, Mapping):
        return {"tokenizer": as_tokenizer("tokenizers", tokenizers)}
    if not tokenizers:
        raise ConfigError("expected at least one tokenizer, found none", setting="tokenizers")
    return {
        check_str("the name of a tokenizer", name): as_tokenizer(f"tokenizers[{shown(name)}]", each)
        for name, each in tokenizers.items()
    }


_CONVERSIONS = {
    "tokenizers": "piecework.Tokenizer.from_str({}.to_str())",
    "transformers": "piecework.Tokenizer.from_str({}.backend_tokenizer.to_str())",
    "sentencepiece": "piecework.Tokenizer.from_bytes({}.serialized_model_proto())",
    "tiktoken": "piecework.Tokenizer.from_tiktoken(path) with its file of ranks",
}
"""How to make a tokenizer of piecework from one of another library, with the name of the argument as ``{}``."""
