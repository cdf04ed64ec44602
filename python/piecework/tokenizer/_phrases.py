"""Warns of phrases of a dictionary that the normalizer changes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from piecework._exceptions import warn
from piecework._settings.component import steps
from piecework.pre_tokenizers import Dictionary, PreTokenizer

if TYPE_CHECKING:
    from piecework.normalizers import Normalizer


def foreign_phrases(normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None) -> list[str]:
    """Returns up to three dictionary phrases that the normalizer changes, so that no text matches them."""
    if normalizer is None:
        return []
    dictionaries = (step for step in steps(pre_tokenizer) if isinstance(step, Dictionary))
    phrases = (phrase for dictionary in dictionaries for phrase in dictionary.phrases)
    # Normalizers may prepend something to a text, so a phrase is normalized inside a text.
    changed = (p for p in phrases if p not in normalizer.normalize_str(f" {p} "))
    return list(itertools.islice(changed, 3))


def warn_of_foreign_phrases(
    normalizer: Normalizer | None, pre_tokenizer: PreTokenizer | None
) -> None:
    """Warns of phrases that no text matches."""
    if foreign := foreign_phrases(normalizer, pre_tokenizer):
        warn(
            f"the normalizer changes phrases of the dictionary, such as {foreign}, so no text matches "
            "them",
            hint="pass them in normalized form, or another normalizer (for Chinese phrases, `handle_chinese_chars=False` of BertNormalizer)",
        )
