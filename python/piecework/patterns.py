"""What is looked for in a text: a plain string, or a regular expression.

The split patterns of well-known models stand here by name. The core finds them without an engine (`Tokenizer.split_backends`).
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from piecework._immutable import Immutable, dataclass
from piecework.arguments import check_str
from piecework.errors import ConfigError, shown, to_utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SPLIT_PATTERNS", "Regex", "from_tiktoken"]

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_HEAD, _TAIL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BLANK = r"\s*[\r\n]+|\s+(?!\S)|\s+"

SPLIT_PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        "gpt2": _GPT2,
        "r50k": _GPT2,
        "p50k": _GPT2,
        "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s",
        "llama3": rf"{_CONTRACTION}|{_WORD}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANK}",
        "qwen2": rf"{_CONTRACTION}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANK}",
        "o200k": rf"[^\r\n\p{{L}}\p{{N}}]?{_HEAD}*{_TAIL}+{_CONTRACTION}?"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_HEAD}+{_TAIL}*{_CONTRACTION}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANK}",
        "clip": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    }
)
"""How well-known models split texts, by name, as Oniguruma reads it.

``cl100k`` is tiktoken's; ``llama3`` is what ``transformers`` has for the same models: there white space at the end of a
text is split where a line ends.
"""

_TIKTOKEN = {
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "r50k",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    **{SPLIT_PATTERNS[name]: name for name in ("gpt2", "llama3", "qwen2", "o200k")},
}


def from_tiktoken(pattern: str) -> str | None:
    r"""Gives the pattern that finds with Oniguruma what tiktoken finds with one of its own.

    The two engines read some patterns differently: to Oniguruma ``$`` is also the end of a line, and ``{1,3}+`` repeats.

    Args:
        pattern: What tiktoken calls ``pat_str``.

    Returns:
        One of `SPLIT_PATTERNS`; None for a pattern that is not known.

    >>> from_tiktoken(SPLIT_PATTERNS["o200k"]) == SPLIT_PATTERNS["o200k"]
    True
    >>> from_tiktoken(r"\w+|\s+") is None
    True
    """
    name = _TIKTOKEN.get(check_str("pattern", pattern))
    return name and SPLIT_PATTERNS[name]


_ESCAPES_AND_SETS = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", re.DOTALL)
_READ_OTHERWISE = re.compile(r"[$^]|\{\d+(?:,\d*)?\}\+")


def is_read_otherwise(pattern: str) -> bool:
    r"""Tells whether Oniguruma reads a pattern otherwise than tiktoken's engine.

    To it, ``^`` and ``$`` are also the beginning and the end of a line, and ``{1,3}+`` repeats instead of giving nothing back.

    >>> is_read_otherwise(r"\p{N}{1,3}+"), is_read_otherwise(r"[$^]|\$|\w+|\s+\z")
    (True, False)
    """
    return _READ_OTHERWISE.search(_ESCAPES_AND_SETS.sub("x", pattern)) is not None


@dataclass(frozen=True)
class Regex(Immutable):
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
            raise ConfigError(f"pattern: expected a string, found {shown(self.pattern)}")
        to_utf8(self.pattern)
