"""Provides tokenizers of well-known kinds, ready to be trained or to load a vocabulary.

>>> from piecework.hf import BertWordPieceTokenizer
>>> tok = BertWordPieceTokenizer({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hug": 3, "##s": 4})
>>> tok.encode("Hugs").tokens
['[CLS]', 'hug', '##s', '[SEP]']
"""

from piecework.hf.implementations.base_tokenizer import BaseTokenizer
from piecework.hf.implementations.bert_wordpiece import BertWordPieceTokenizer
from piecework.hf.implementations.byte_level_bpe import ByteLevelBPETokenizer
from piecework.hf.implementations.char_level_bpe import CharBPETokenizer
from piecework.hf.implementations.sentencepiece_bpe import SentencePieceBPETokenizer
from piecework.hf.implementations.sentencepiece_unigram import SentencePieceUnigramTokenizer

__all__ = [
    "BaseTokenizer",
    "BertWordPieceTokenizer",
    "ByteLevelBPETokenizer",
    "CharBPETokenizer",
    "SentencePieceBPETokenizer",
    "SentencePieceUnigramTokenizer",
]
