"""Trains, runs and explains subword tokenizers: WordPiece, BPE and Unigram."""

from piecework import (
    analysis as analysis,
    corpus as corpus,
    decoders as decoders,
    engines as engines,
    errors as errors,
    models as models,
    normalizers as normalizers,
    patterns as patterns,
    pre_tokenizers as pre_tokenizers,
    processors as processors,
    surgery as surgery,
    tokenizer as tokenizer,
    trainers as trainers,
    training as training,
)
from piecework._core import DecodeStream as DecodeStream, Encoding as Encoding
from piecework._io.corpus import Corpus as Corpus, Document as Document
from piecework._progress import Progress as Progress
from piecework._settings.added_tokens import AddedToken as AddedToken
from piecework._settings.arguments import DEFAULT as DEFAULT
from piecework._settings.encoding import (
    Padding as Padding,
    Sampling as Sampling,
    Truncation as Truncation,
)
from piecework._settings.limits import Limits as Limits
from piecework.analysis._comparison.comparison import compare as compare
from piecework.analysis._difference.compare import diff as diff
from piecework.analysis._evaluation.evaluate import evaluate as evaluate
from piecework.analysis._lint.checking import lint as lint
from piecework.corpus._counts import WordCounts as WordCounts, count_words as count_words
from piecework.errors import PieceworkError as PieceworkError
from piecework.patterns import Regex as Regex
from piecework.surgery import VocabularyChange as VocabularyChange, extend as extend, prune as prune
from piecework.tokenizer import Tokenizer as Tokenizer
from piecework.tokenizer._batch import EncodedBatch as EncodedBatch, PaddedBatch as PaddedBatch
from piecework.tokenizer._chat.encoding import ChatEncoding as ChatEncoding
from piecework.tokenizer._decoded import (
    DecodedBatch as DecodedBatch,
    DecodedText as DecodedText,
    StreamStep as StreamStep,
    TokenBytes as TokenBytes,
)
from piecework.tokenizer._results import (
    CountsSummary as CountsSummary,
    Merge as Merge,
    ScoredEncoding as ScoredEncoding,
    TruncatedText as TruncatedText,
    UnigramStep as UnigramStep,
)
from piecework.trainers import (
    BpeTrainer as BpeTrainer,
    UnigramTrainer as UnigramTrainer,
    WordLevelTrainer as WordLevelTrainer,
    WordPieceTrainer as WordPieceTrainer,
)
from piecework.training._tracing.record import trace as trace, trace_criteria as trace_criteria
from piecework.training._train import train as train

__version__: str
