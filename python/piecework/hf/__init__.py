"""Provides the classes of the module `tokenizers` 0.23, implemented by piecework.

A program changes one import. Names, signatures and results are those of `tokenizers`; docs/hf.md lists the differences.

>>> from piecework.hf import Tokenizer, models, pre_tokenizers
>>> tok = Tokenizer(models.WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}))
>>> tok.pre_tokenizer = pre_tokenizers.Whitespace()
>>> tok.encode("hugs hug").ids
[1, 2, 1]

Names are imported on first use.
"""

from piecework import _lazy

__version__ = "0.23.3"
"""The version of `tokenizers` whose names and behaviour these modules have."""

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "decoders": "",
        "implementations": "BertWordPieceTokenizer ByteLevelBPETokenizer CharBPETokenizer SentencePieceBPETokenizer "
        "SentencePieceUnigramTokenizer",
        "models": "",
        "normalizers": "",
        "pre_tokenizers": "",
        "processors": "",
        "tools": "",
        "trainers": "",
        "_added_tokens": "AddedToken",
        "_encoding": "Encoding",
        "_inputs": "EncodeInput InputSequence OffsetReferential OffsetType Offsets PreTokenizedEncodeInput "
        "PreTokenizedInputSequence SplitDelimiterBehavior TextEncodeInput TextInputSequence",
        "_patterns": "Regex",
        "_strings": "NormalizedString PreTokenizedString Token",
        "_tokenizer": "Tokenizer",
    },
)
__all__ += ["__version__"]
