"""Names the values of settings that are one of several words: for annotations, checks and the command line."""

from typing import Literal

UnknownPolicy = Literal["word", "run", "char"]
"""How characters that no piece covers are encoded: the word, each run or each character as unknown."""
Segmentation = Literal["longest", "likeliest"]
"""The segmentation of a word by WordPiece."""
Criterion = Literal["likelihood", "pmi", "sum", "frequency"]
Ties = Literal["lex", "first", "hf"]
BpeTies = Literal["lex", "first", "hf", "sentencepiece"]
Alphabet = Literal["char", "byte"]
SuffixStyle = Literal["attached", "separate"]
AddedTokenIds = Literal["file", "tokenizers"]
"""The ids of added tokens where a file has others than `tokenizers` gives."""

SpecialsWord = Literal["match", "text", "error", "text-all", "error-all"]
"""How special tokens, or all added tokens but those of white space alone, are treated in a text."""
SegmentSpecials = Literal["text", "error", "text-all", "error-all"]
"""How special tokens, or all added tokens but those of white space alone, are treated in untrusted segments."""
Side = Literal["left", "right"]
Strategy = Literal["longest_first", "only_first", "only_second"]
"""The text of a pair that is truncated: the longer one at each step, the first, or the second."""

TextFormat = Literal["text", "jsonl", "parquet", "arrow"]
"""The formats of files of texts."""
Per = Literal["line", "file"]
"""The texts of a text file."""
ByteErrors = Literal["strict", "replace"]
"""How invalid bytes are handled."""
OnError = Literal["raise", "skip"]
"""How lines and rows that are no texts are handled."""
CorpusLayout = Literal["npy", "parquet", "megatron", "nanogpt", "llm.c", "datatrove"]
"""The layouts of tokenized corpora."""
