"""Trains, runs and explains subword tokenizers: WordPiece, BPE and Unigram.

>>> import piecework as pw
>>> tok = pw.train(["the cat sat on the mat"] * 10, pw.WordPieceTrainer(vocab_size=30))
>>> tok.encode("the cat").tokens
['[CLS]', 'the', 'cat', '[SEP]']

Names are imported on first use, so `piecework.reference`, which needs only the standard library, also works without the
compiled core.
"""

from piecework import _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "analysis": "",
        "analysis._comparison.comparison": "compare",
        "analysis._difference.compare": "diff",
        "analysis._evaluation.evaluate": "evaluate",
        "analysis._lint.checking": "lint",
        "corpus": "",
        "corpus._counts": "WordCounts count_words",
        "decoders": "",
        "engines": "",
        "errors": "PieceworkError",
        "models": "",
        "normalizers": "",
        "patterns": "Regex",
        "pre_tokenizers": "",
        "processors": "",
        "surgery": "VocabularyChange extend prune",
        "tokenizer": "Tokenizer",
        "tokenizer._chat.encoding": "ChatEncoding",
        "tokenizer._batch": "EncodedBatch PaddedBatch",
        "tokenizer._decoded": "DecodedBatch DecodedText StreamStep TokenBytes",
        "tokenizer._results": "CountsSummary Merge ScoredEncoding TruncatedText UnigramStep",
        "trainers": "BpeTrainer UnigramTrainer WordLevelTrainer WordPieceTrainer",
        "training": "",
        "training._tracing.record": "trace trace_criteria",
        "training._train": "train",
        "_core": "DecodeStream Encoding",
        "_io.corpus": "Corpus Document",
        "_settings.added_tokens": "AddedToken",
        "_settings.arguments": "DEFAULT",
        "_settings.encoding": "Padding Sampling Truncation",
        "_settings.limits": "Limits",
        "_progress": "Progress",
    },
    {
        "AutoTokenizer": "call piecework.Tokenizer.from_folder with the folder of the model",
        "BertWordPieceTokenizer": "use piecework.hf, or piecework.train with a WordPieceTrainer",
        "ByteLevelBPETokenizer": "use piecework.hf, or piecework.train with a BpeTrainer",
        "SentencePieceProcessor": "call piecework.Tokenizer.from_file with the .model file",
        "SentencePieceTrainer": "call piecework.train with a UnigramTrainer or a BpeTrainer",
        "get_encoding": "call piecework.Tokenizer.from_file with the .tiktoken file",
    },
)
__all__ += ["__version__"]
