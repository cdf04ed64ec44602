"""The compiled core: converts, releases the GIL, calls the Rust crate, converts.

Nothing here is for users: `piecework` wraps it. One stub stands for each file of `crates/py/src`.
"""

from piecework._core._arrow import ArrowTexts as ArrowTexts
from piecework._core._batch import Batch as Batch
from piecework._core._counts import WordCounter as WordCounter
from piecework._core._counts import WordCounts as WordCounts
from piecework._core._encoding import Encoding as Encoding
from piecework._core._options import Options as Options
from piecework._core._stream import DecodeStream as DecodeStream
from piecework._core._text import Stage as Stage
from piecework._core._text import decode_tokens as decode_tokens
from piecework._core._text import detect_encoding as detect_encoding
from piecework._core._tokenizer import Tokenizer as Tokenizer
from piecework._core._train import check_trainer as check_trainer
from piecework._core._train import train as train
