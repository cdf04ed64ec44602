"""Defines regular expressions, and the split patterns of well-known models.

The core matches the latter with grammars instead of a regex engine (`Tokenizer.split_backends`).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from piecework._settings import arguments as _arguments
from piecework._settings.regex import Regex

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SPLIT_PATTERNS", "Regex", "from_tiktoken"]

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_HEAD, _TAIL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_HEAD_EXCEPT_HAN = rf"{_HEAD[:-1]}&&[^\p{{Han}}]]"
_TAIL_EXCEPT_HAN = rf"{_TAIL[:-1]}&&[^\p{{Han}}]]"
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
        "qwen35": rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
        rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_BLANK}",
        "o200k": rf"[^\r\n\p{{L}}\p{{N}}]?{_HEAD}*{_TAIL}+{_CONTRACTION}?"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_HEAD}+{_TAIL}*{_CONTRACTION}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANK}",
        "kimi": rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{_HEAD_EXCEPT_HAN}*{_TAIL_EXCEPT_HAN}+{_CONTRACTION}?"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_HEAD_EXCEPT_HAN}+{_TAIL_EXCEPT_HAN}*{_CONTRACTION}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANK}",
        "tekken": rf"[^\r\n\p{{L}}\p{{N}}]?{_HEAD}*{_TAIL}+|[^\r\n\p{{L}}\p{{N}}]?{_HEAD}+{_TAIL}*"
        rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANK}",
        "clip": r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    }
)
"""The split patterns of well-known models by name, in Oniguruma's syntax.

``cl100k`` is tiktoken's pattern; ``llama3`` is that of ``transformers`` for the same models, which splits white space at
the end of a text at line ends.
"""

_TIKTOKEN = {
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "r50k",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s": "cl100k",
    **{
        SPLIT_PATTERNS[name]: name
        for name in ("gpt2", "llama3", "qwen2", "qwen35", "o200k", "kimi", "tekken")
    },
}


def from_tiktoken(pattern: str) -> str | None:
    r"""Returns the Oniguruma pattern that is equivalent to one of tiktoken's.

    The engines differ in some patterns: in Oniguruma ``$`` also matches at line ends, and ``{1,3}+`` repeats the group.

    Args:
        pattern: The ``pat_str`` of tiktoken.

    Returns:
        One of `SPLIT_PATTERNS`; None for an unknown pattern.

    >>> from_tiktoken(SPLIT_PATTERNS["o200k"]) == SPLIT_PATTERNS["o200k"]
    True
    >>> from_tiktoken(r"\w+|\s+") is None
    True
    """
    name = _TIKTOKEN.get(_arguments.check_str("pattern", pattern))
    return name and SPLIT_PATTERNS[name]
