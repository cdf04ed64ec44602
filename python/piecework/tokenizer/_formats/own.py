"""Names what only piecework has in a tokenizer.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


PIECEWORK = "piecework."
"""The beginning of the types that ``tokenizers`` does not have."""


def own_types(part: Any) -> Iterator[str]:
    """Iterates over the types of a component, and of those inside it, that ``tokenizers`` does not have.

    >>> list(own_types({"type": "Sequence", "pretokenizers": [{"type": "piecework.Jieba"}]}))
    ['piecework.Jieba']
    """
    if isinstance(part, list):
        for inner in part:
            yield from own_types(inner)
    elif isinstance(part, dict):
        if str(part.get("type", "")).startswith(PIECEWORK):
            yield part["type"]
        for inner in part.values():
            yield from own_types(inner)
