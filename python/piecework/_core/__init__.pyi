"""Binds the Rust crate to Python: converts arguments, releases the GIL, calls, converts results.

The module is private: `piecework` wraps it. Each stub describes one file of `crates/py/src`.
"""

from piecework._core._arrow import ArrowTexts as ArrowTexts
from piecework._core._batch import Batch as Batch
from piecework._core._charset import detect_encoding as detect_encoding
from piecework._core._counts import WordCounter as WordCounter
from piecework._core._counts import WordCounts as WordCounts
from piecework._core._counts_files import merge_counts as merge_counts
from piecework._core._documents import DocumentReader as DocumentReader
from piecework._core._documents import LineFault as LineFault
from piecework._core._documents import ParsedDocuments as ParsedDocuments
from piecework._core._documents import TextArray as TextArray
from piecework._core._encoding import Encoding as Encoding
from piecework._core._formats import component_members as component_members
from piecework._core._formats import detect_format as detect_format
from piecework._core._formats import encoding_named as encoding_named
from piecework._core._formats import encoding_names as encoding_names
from piecework._core._formats import file_formats as file_formats
from piecework._core._formats import first_gap as first_gap
from piecework._core._formats import from_merges as from_merges
from piecework._core._formats import from_subword_nmt as from_subword_nmt
from piecework._core._formats import from_tiktoken as from_tiktoken
from piecework._core._formats import read_format as read_format
from piecework._core._formats import splitter_fingerprint as splitter_fingerprint
from piecework._core._formats import write_format as write_format
from piecework._core._measures import TextMeasures as TextMeasures
from piecework._core._options import Options as Options
from piecework._core._stream import DecodeStream as DecodeStream
from piecework._core._text import TextStages as TextStages
from piecework._core._text import charsmap_named as charsmap_named
from piecework._core._text import charsmap_of as charsmap_of
from piecework._core._text import decode_tokens as decode_tokens
from piecework._core._tokenizer import Tokenizer as Tokenizer
from piecework._core._trace import pair_scores as pair_scores
from piecework._core._trace import train_traced as train_traced
from piecework._core._train import check_trainer as check_trainer
from piecework._core._train import count_tokens as count_tokens
from piecework._core._train import extend as extend
from piecework._core._train import train as train
from piecework._core._word_characters import WordCharacters as WordCharacters
