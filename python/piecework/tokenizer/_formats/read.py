"""Reads files of formats that need no or few further settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from piecework import _core
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.tokenizer._formats.detect import Format

__all__ = ["encoding", "read", "stem"]


def read(kind: Format, data: bytes) -> CoreTokenizer:
    r"""Returns the tokenizer of a format that has no further settings.

    >>> len(read("subword-nmt", b"#version: 0.2\nl o</w>\n"))
    6
    """
    return _core.read_format(kind, data)


def encoding(path: str, name: str | None) -> tuple[str, dict[str, int]]:
    """Returns the pattern and the special tokens of a tiktoken encoding.

    Args:
        path: The file of ranks, whose name is the default of `name`.
        name: The name of the encoding.

    Returns:
        The pattern in Oniguruma's syntax, and special tokens with their ids.

    Raises:
        ConfigError: The encoding is unknown.

    >>> encoding("r50k_base.tiktoken", None)[1]
    {'<|endoftext|>': 50256}
    """
    try:
        pattern, special_tokens = _core.encoding_named(stem(path) if name is None else name)
    except ConfigError as error:
        if name is not None:
            raise
        raise ConfigError(
            f"a file of ranks contains no split pattern, and its name is not that of an encoding: {error.problem}",
            hint="pass `name=...` or `pattern=...` to Tokenizer.from_tiktoken, such as "
            "`pattern=patterns.SPLIT_PATTERNS['llama3']` for Llama 3, with its `special_tokens=...`",
            place=f"{path}: ",
        ) from None
    return pattern, dict(special_tokens)


def stem(path: str) -> str:
    """Returns the name of a file up to its first dot, which names an encoding."""
    return os.path.basename(path).split(".", 1)[0]
