"""Detects the format of a file by its bytes and its name, and what else a name stands for."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from piecework import _core
from piecework.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


Format = Literal[
    "tokenizer.json", "vocab.txt", "merges.txt", "tiktoken", "sentencepiece", "subword-nmt", "clip"
]
"""A file format of tokenizers."""

FORMATS: Final = get_args(Format)

_SCORED = re.compile(rb"[^\t\n]+\t-?\d[\d.e+-]*\r?(?:\n|\Z)")
# Of the core's table: which formats a name stands for, and which files belong together.
_TABLE: Final = _core.file_formats()
_SUFFIXES: Final[Mapping[str, str]] = {suffix: name for name, suffix, _ in _TABLE if suffix}
_COMPANIONS: Final = [pair for *_, pairs in _TABLE for pair in pairs]


def detect_format(data: bytes, name: str = "") -> Format:
    r"""Returns the format of a file.

    Args:
        data: The bytes of the file, decompressed.
        name: The name of the file, which decides if the bytes are ambiguous.

    Returns:
        The format; that of a vocab.json is ``"merges.txt"``, since it needs that file.

    >>> detect_format(b"#version: 0.2\nl o\n", "merges.txt"), detect_format(b"IQ== 0\nIg== 1\n")
    ('merges.txt', 'tiktoken')
    """
    # A name may have bytes that are no UTF-8; its ending alone matters.
    return _core.detect_format(data, name.encode(errors="replace").decode())


def format_from_name(name: str) -> Format:
    """Returns the format to write for a file name, consistent with :func:`detect_format`.

    Args:
        name: The name of the file.

    Returns:
        The format, by default ``"tokenizer.json"``.

    Raises:
        ConfigError: A file of that name contains only a part of a tokenizer.

    >>> format_from_name("t5.model"), format_from_name("vocab.txt"), format_from_name("tokenizer.json"), format_from_name("mine")
    ('sentencepiece', 'vocab.txt', 'tokenizer.json', 'tokenizer.json')
    """
    suffix = os.path.splitext(name)[1].lower()
    if suffix != ".json" and (other := companion_file(name)):
        raise ConfigError(
            f"{name} requires {other} too", hint='pass their folder and the format "merges.txt"'
        )
    if suffix == ".vocab":
        raise ConfigError(
            f"{name} would contain only pieces and scores (see models.Unigram.to_vocab())",
            hint="pass another name, or the format",
        )
    return cast("Format", _SUFFIXES.get(suffix, "tokenizer.json"))


def is_scored(data: bytes) -> bool:
    r"""Returns whether bytes start with a piece, a tab and a score, like a SentencePiece ``.vocab`` file.

    >>> is_scored(b"<unk>\t0\n"), is_scored(b"<unk>\nhug\n")
    (True, False)
    """
    return _SCORED.match(data) is not None


def companion_file(name: str) -> str | None:
    """Returns the other file of a vocabulary or of a list of merges, or None for other names.

    >>> companion_file("gpt2-encoder.json"), companion_file("merges.txt"), companion_file("codes.txt")
    ('gpt2-vocab.bpe', 'vocab.json', None)
    """
    for pair in (*_COMPANIONS, *(tuple(reversed(pair)) for pair in _COMPANIONS)):
        if name.lower().endswith(pair[0]):
            return name[: len(name) - len(pair[0])] + pair[1]
    return None


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
