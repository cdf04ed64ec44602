"""Provides the classes of the module `tokenizers` 0.23, implemented by piecework."""

from piecework.hf import (
    decoders as decoders,
    implementations as implementations,
    models as models,
    normalizers as normalizers,
    pre_tokenizers as pre_tokenizers,
    processors as processors,
    tools as tools,
    trainers as trainers,
)
from piecework.hf._added_tokens import AddedToken as AddedToken
from piecework.hf._encoding import Encoding as Encoding
from piecework.hf._inputs import (
    EncodeInput as EncodeInput,
    InputSequence as InputSequence,
    OffsetReferential as OffsetReferential,
    Offsets as Offsets,
    OffsetType as OffsetType,
    PreTokenizedEncodeInput as PreTokenizedEncodeInput,
    PreTokenizedInputSequence as PreTokenizedInputSequence,
    SplitDelimiterBehavior as SplitDelimiterBehavior,
    TextEncodeInput as TextEncodeInput,
    TextInputSequence as TextInputSequence,
)
from piecework.hf._patterns import Regex as Regex
from piecework.hf._strings import (
    NormalizedString as NormalizedString,
    PreTokenizedString as PreTokenizedString,
    Token as Token,
)
from piecework.hf._tokenizer import Tokenizer as Tokenizer
from piecework.hf.implementations import (
    BertWordPieceTokenizer as BertWordPieceTokenizer,
    ByteLevelBPETokenizer as ByteLevelBPETokenizer,
    CharBPETokenizer as CharBPETokenizer,
    SentencePieceBPETokenizer as SentencePieceBPETokenizer,
    SentencePieceUnigramTokenizer as SentencePieceUnigramTokenizer,
)

__version__: str
