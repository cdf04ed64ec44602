"""Provides the classes of the module `tokenizers` 0.23, implemented by piecework.

A program changes one import. Names, signatures and results are those of `tokenizers`; docs/hf.md lists the differences.

>>> from piecework.hf import Tokenizer, models, pre_tokenizers
>>> tok = Tokenizer(models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}))
>>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
>>> tok.encode("hugs hug").ids
[1, 2, 1]

Names are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework.hf import (
        decoders,
        implementations,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        tools,
        trainers,
    )
    from piecework.hf._patterns import Regex
    from piecework.hf.added_tokens import AddedToken
    from piecework.hf.encoding import Encoding
    from piecework.hf.implementations import (
        BertWordPieceTokenizer,
        ByteLevelBPETokenizer,
        CharBPETokenizer,
        SentencePieceBPETokenizer,
        SentencePieceUnigramTokenizer,
    )
    from piecework.hf.inputs import (
        EncodeInput,
        InputSequence,
        OffsetReferential,
        Offsets,
        OffsetType,
        PreTokenizedEncodeInput,
        PreTokenizedInputSequence,
        SplitDelimiterBehavior,
        TextEncodeInput,
        TextInputSequence,
    )
    from piecework.hf.strings import NormalizedString, PreTokenizedString, Token
    from piecework.hf.tokenizer import Tokenizer

__version__ = "0.23.3"
"""The version of `tokenizers` whose names and behaviour these modules have."""

_MODULES = (
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "tools",
    "trainers",
)

_MODULE_OF = {
    "AddedToken": "added_tokens",
    "BertWordPieceTokenizer": "implementations",
    "ByteLevelBPETokenizer": "implementations",
    "CharBPETokenizer": "implementations",
    "EncodeInput": "inputs",
    "Encoding": "encoding",
    "InputSequence": "inputs",
    "NormalizedString": "strings",
    "OffsetReferential": "inputs",
    "OffsetType": "inputs",
    "Offsets": "inputs",
    "PreTokenizedEncodeInput": "inputs",
    "PreTokenizedInputSequence": "inputs",
    "PreTokenizedString": "strings",
    "Regex": "_patterns",
    "SentencePieceBPETokenizer": "implementations",
    "SentencePieceUnigramTokenizer": "implementations",
    "SplitDelimiterBehavior": "inputs",
    "TextEncodeInput": "inputs",
    "TextInputSequence": "inputs",
    "Token": "strings",
    "Tokenizer": "tokenizer",
}

__all__ = [
    "AddedToken",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "EncodeInput",
    "Encoding",
    "InputSequence",
    "NormalizedString",
    "OffsetReferential",
    "OffsetType",
    "Offsets",
    "PreTokenizedEncodeInput",
    "PreTokenizedInputSequence",
    "PreTokenizedString",
    "Regex",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
    "SplitDelimiterBehavior",
    "TextEncodeInput",
    "TextInputSequence",
    "Token",
    "Tokenizer",
    "__version__",
    "decoders",
    "implementations",
    "models",
    "normalizers",
    "pre_tokenizers",
    "processors",
    "tools",
    "trainers",
]


if not TYPE_CHECKING:  # with it, a type checker would accept every name

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return importlib.import_module(f"piecework.hf.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'piecework.hf' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"piecework.hf.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
