"""Binds the Rust crate to Python: converts arguments, releases the GIL, calls, converts results.

The module is private: `piecework` wraps it. Each stub describes one file of `crates/py/src`.
"""

from piecework._core._arrow import ArrowTexts as ArrowTexts
from piecework._core._batch import Batch as Batch
from piecework._core._charset import detect_encoding as detect_encoding
from piecework._core._counts import WordCounter as WordCounter, WordCounts as WordCounts
from piecework._core._counts_files import merge_counts as merge_counts
from piecework._core._documents import (
    DocumentReader as DocumentReader,
    LineFault as LineFault,
    ParsedDocuments as ParsedDocuments,
    TextArray as TextArray,
)
from piecework._core._encoding import Encoding as Encoding, Overflowing as Overflowing
from piecework._core._formats import (
    component_members as component_members,
    detect_format as detect_format,
    encoding_named as encoding_named,
    encoding_names as encoding_names,
    file_formats as file_formats,
    file_sizes as file_sizes,
    first_gap as first_gap,
    from_merges as from_merges,
    from_subword_nmt as from_subword_nmt,
    from_tiktoken as from_tiktoken,
    read_format as read_format,
    splitter_fingerprint as splitter_fingerprint,
    write_format as write_format,
)
from piecework._core._measures import TextMeasures as TextMeasures
from piecework._core._options import Options as Options
from piecework._core._stream import DecodeStream as DecodeStream, StreamPieces as StreamPieces
from piecework._core._text import (
    TextStages as TextStages,
    charsmap_named as charsmap_named,
    charsmap_of as charsmap_of,
    decode_tokens as decode_tokens,
)
from piecework._core._tokenizer import Tokenizer as Tokenizer
from piecework._core._trace import pair_scores as pair_scores, train_traced as train_traced
from piecework._core._train import (
    check_trainer as check_trainer,
    count_tokens as count_tokens,
    extend as extend,
    train as train,
)
from piecework._core._word_characters import WordCharacters as WordCharacters
