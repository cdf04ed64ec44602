"""Trains, runs and explains subword tokenizers: WordPiece, BPE and Unigram.

>>> import piecework as pw
>>> tok = pw.train(["the cat sat on the mat"] * 10, pw.WordPieceTrainer(vocab_size=30))
>>> tok.encode("the cat").tokens
['[CLS]', 'the', 'cat', '[SEP]']

Names are imported on first use, so `piecework.reference`, which needs only the standard library, also works without the
compiled core.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework import (
        corpus,
        decoders,
        engines,
        errors,
        evaluation,
        models,
        normalizers,
        patterns,
        pre_tokenizers,
        processors,
        tracing,
        trainers,
    )
    from piecework.added_tokens import AddedToken
    from piecework.arguments import DEFAULT
    from piecework.batch import EncodedBatch, PaddedBatch
    from piecework.counts import WordCounts, count_words
    from piecework.difference import diff
    from piecework.encoding_settings import Padding, Sampling, Truncation
    from piecework.errors import PieceworkError
    from piecework.evaluation import evaluate
    from piecework.explain import compare
    from piecework.io.corpus import Corpus
    from piecework.linter import lint
    from piecework.patterns import Regex
    from piecework.results import (
        CountsSummary,
        Document,
        Encoding,
        Merge,
        Progress,
        ScoredEncoding,
        TruncatedText,
        UnigramStep,
    )
    from piecework.streams import DecodeStream
    from piecework.surgery import VocabularyChange, extend, prune
    from piecework.tokenizer import Tokenizer
    from piecework.tracing import trace, trace_criteria
    from piecework.trainers import (
        BpeTrainer,
        UnigramTrainer,
        WordLevelTrainer,
        WordPieceTrainer,
    )
    from piecework.training import train

__version__ = "0.1.0"

__all__ = [
    "DEFAULT",
    "AddedToken",
    "BpeTrainer",
    "Corpus",
    "CountsSummary",
    "DecodeStream",
    "Document",
    "EncodedBatch",
    "Encoding",
    "Merge",
    "PaddedBatch",
    "Padding",
    "PieceworkError",
    "Progress",
    "Regex",
    "Sampling",
    "ScoredEncoding",
    "Tokenizer",
    "TruncatedText",
    "Truncation",
    "UnigramStep",
    "UnigramTrainer",
    "VocabularyChange",
    "WordCounts",
    "WordLevelTrainer",
    "WordPieceTrainer",
    "__version__",
    "compare",
    "corpus",
    "count_words",
    "decoders",
    "diff",
    "engines",
    "errors",
    "evaluate",
    "evaluation",
    "extend",
    "lint",
    "models",
    "normalizers",
    "patterns",
    "pre_tokenizers",
    "processors",
    "prune",
    "trace",
    "trace_criteria",
    "tracing",
    "train",
    "trainers",
]

_MODULES = (
    "corpus",
    "decoders",
    "engines",
    "errors",
    "evaluation",
    "models",
    "normalizers",
    "patterns",
    "pre_tokenizers",
    "processors",
    "tracing",
    "trainers",
)

_MODULE_OF = {
    "DEFAULT": "arguments",
    "AddedToken": "added_tokens",
    "BpeTrainer": "trainers",
    "Corpus": "io.corpus",
    "CountsSummary": "results",
    "DecodeStream": "streams",
    "Document": "results",
    "Encoding": "results",
    "EncodedBatch": "batch",
    "Merge": "results",
    "PaddedBatch": "batch",
    "Padding": "encoding_settings",
    "PieceworkError": "errors",
    "Progress": "results",
    "Regex": "patterns",
    "UnigramStep": "results",
    "Sampling": "encoding_settings",
    "ScoredEncoding": "results",
    "Tokenizer": "tokenizer",
    "TruncatedText": "results",
    "Truncation": "encoding_settings",
    "UnigramTrainer": "trainers",
    "VocabularyChange": "surgery",
    "WordCounts": "counts",
    "WordLevelTrainer": "trainers",
    "WordPieceTrainer": "trainers",
    "compare": "explain",
    "count_words": "counts",
    "trace": "tracing",
    "trace_criteria": "tracing",
    "diff": "difference",
    "lint": "linter",
    "evaluate": "evaluation",
    "extend": "surgery",
    "prune": "surgery",
    "train": "training",
}


if not TYPE_CHECKING:  # with it, a type checker would accept every name

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return importlib.import_module(f"piecework.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'piecework' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"piecework.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
