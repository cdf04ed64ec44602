"""Holds the texts that the page starts with, and the tokenizers if none are given."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.tokenizer import Tokenizer

PARALLEL_TEXTS: Final[Mapping[str, str]] = json.loads(
    (resources.files("piecework.play") / "assets" / "parallel-texts.json").read_text("utf-8")
)
"""One paragraph in several languages, by their own names."""


def train_samples() -> dict[str, Tokenizer]:
    """Returns small tokenizers of three models, trained on the texts of this module.

    >>> [tokenizer.model_type for tokenizer in train_samples().values()]
    ['WordPiece', 'BPE', 'Unigram']
    """
    import piecework as pw

    texts = list(PARALLEL_TEXTS.values())
    return {
        "sample WordPiece": pw.train(texts, pw.WordPieceTrainer(900)),
        "sample byte-level BPE": pw.train(texts, pw.BpeTrainer(900, alphabet="byte")),
        "sample Unigram": pw.train(texts, pw.UnigramTrainer(900, character_coverage=1.0)),
    }
